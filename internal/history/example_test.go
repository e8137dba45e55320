package history_test

import (
	"fmt"
	"time"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

// A certification that has been active since March is suspended for May.
func Example() {
	active := history.Period[string]{ID: 41, From: date.Of(2026, time.March, 1), Value: "ACTIVE"}
	suspended := history.Period[string]{
		From:    date.Of(2026, time.May, 1),
		Through: date.Of(2026, time.May, 31).Ptr(),
		Value:   "SUSPENDED",
	}
	today := date.Of(2026, time.May, 4)

	plan, err := history.Apply([]history.Period[string]{active}, suspended, today)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, o := range plan.Operations {
		fmt.Println(o.Kind)
	}
	for _, p := range plan.After {
		through := "open"
		if p.Through != nil {
			through = p.Through.String()
		}
		fmt.Println(p.From, "through", through, p.Value)
	}
	for _, w := range plan.Warnings {
		fmt.Println(w.Code, w.Message)
	}
	current, _ := history.At(plan.After, today)
	fmt.Println("today", current.Value)
	// Output:
	// SPLIT
	// ADDED
	// 2026-03-01 through 2026-04-30 ACTIVE
	// 2026-05-01 through 2026-05-31 SUSPENDED
	// 2026-06-01 through open ACTIVE
	// BACKDATED_BEFORE_TODAY The new period starts before today, 2026-05-04.
	// today SUSPENDED
}
