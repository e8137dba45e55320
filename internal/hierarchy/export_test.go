package hierarchy

// ChainStatement is the statement of Chain.
var ChainStatement = View.chain

// LockRebuild is lockRebuild.
var LockRebuild = lockRebuild
