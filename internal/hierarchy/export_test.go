package hierarchy

// LockRebuild is lockRebuild.
var LockRebuild = lockRebuild

// MovedAtOnce is movedAtOnce: 0 leaves every change to a rebuild.
var MovedAtOnce = &movedAtOnce

// ErrUnderWay is errUnderWay.
var ErrUnderWay = errUnderWay

// RebuildNow is rebuild.
var RebuildNow = (*Service).rebuild

// DeleteRelations is deleteRelations.
var DeleteRelations = deleteRelations
