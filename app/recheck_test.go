package app

import "time"

// RecheckStreams has the credentials of streams looked at more often, or hardly
// ever. It is called before there are streams.
func (a *App) RecheckStreams(every time.Duration) { a.recheck = every }
