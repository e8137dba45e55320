package hierarchy

// LockRebuild is lockRebuild.
var LockRebuild = lockRebuild

// MovedAtOnce is movedAtOnce: 0 leaves every change to a rebuild.
var MovedAtOnce = &movedAtOnce
