package hierarchy

// LockRebuild is lockRebuild.
var LockRebuild = lockRebuild
