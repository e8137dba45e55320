package store

// SQLite adds integers of 64 bits, which nine thousand of the largest amounts of money
// overflow. So the digits before and after the ninth from the right are summed
// separately; only a thousand million values overflow these sums.

const (
	highDigits = " / 1000000000"
	lowDigits  = " % 1000000000"
)

// Sum is the sum of the amounts of a group. It has no bound, and sorts as numbers do. On
// SQLite one that an integer does not hold is a text of digits with leading zeros, which
// comes after all integers; so would one far below zero, which nobody owes.
func Sum(postgres bool, amount string) string {
	if postgres {
		return "sum(" + amount + ")"
	}
	high, low := "sum("+amount+highDigits+")", "sum("+amount+lowDigits+")"
	digits := func(sign string) string {
		low := "(" + sign + low + ")"
		return "printf('%017d%09d', " + sign + high + " + " + low + highDigits + " - (" + low + lowDigits + " < 0), (" + low + lowDigits + " + 1000000000)" + lowDigits + ")"
	}
	return "CASE WHEN abs(" + high + ") < 8000000000 THEN " + high + " * 1000000000 + " + low +
		" WHEN " + high + " > 0 THEN " + digits("") + " WHEN " + high + " < 0 THEN '-' || " + digits("-") + " END"
}

// Average is the average of the numbers of a group, in hundredths of their unit, rounded
// half away from zero. The numbers must have the same sign, or less than ten digits. Both
// databases compute it exactly, since they divide integers.
func Average(postgres bool, number string) string {
	n, total := "count("+number+")", "sum("+number+")"
	if postgres {
		rounded := func(total string) string {
			return "div(" + total + ", " + n + ") * 100 + div(mod(" + total + ", " + n + ") * 200 + " + n + ", 2 * " + n + ")"
		}
		total += "::numeric"
		return "(CASE WHEN " + total + " < 0 THEN -(" + rounded("-"+total) + ") ELSE " + rounded(total) + " END)"
	}
	rounded := func(sign string) string {
		high, low := "("+sign+"sum("+number+highDigits+"))", "("+sign+"sum("+number+lowDigits+"))"
		rest := "(" + high + " % " + n + " * 1000000000 + " + low + ")"
		return "(" + high + " / " + n + " * 1000000000 + " + rest + " / " + n + ") * 100 + (" + rest + " % " + n + " * 200 + " + n + ") / (2 * " + n + ")"
	}
	return "(CASE WHEN sum(" + number + lowDigits + ") < 0 THEN -(" + rounded("-") + ") ELSE " + rounded("") + " END)"
}
