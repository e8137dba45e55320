// The date to look at the agency on. Unset means today in the tenant's time
// zone, which only the server knows; so unset sends no date at all.

const day = 86_400_000;
const iso = (milliseconds) => new Date(milliseconds).toISOString().slice(0, 10);

// Today's date where the analyst sits, as midnight UTC: only whole days count.
function localToday() {
  const now = new Date();
  return Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
}

// The slider has today in its middle and 365 steps to either side: one step is
// two days back, or one day ahead.
const dateAt = (step) => iso(localToday() + (step < 0 ? step * 2 : step) * day);

function stepOf(date) {
  const days = Math.round((Date.parse(date) - localToday()) / day);
  return days < 0 ? Math.ceil(days / 2) : days;
}

export function asOfControl() {
  const fieldset = document.getElementById("as-of");
  const dateInput = document.getElementById("date");
  const slider = document.getElementById("slider");
  const reset = document.getElementById("today");
  let chosen = null;

  const choose = (date) => {
    chosen = date;
    dateInput.value = date ?? iso(localToday());
    slider.value = date ? stepOf(date) : 0;
    slider.setAttribute("aria-valuetext", date ?? "today");
    fieldset.classList.toggle("set", date !== null);
    reset.setAttribute("aria-pressed", String(date === null));
  };
  dateInput.addEventListener("change", () => choose(dateInput.value || null));
  slider.addEventListener("input", () => choose(slider.value === "0" ? null : dateAt(Number(slider.value))));
  reset.addEventListener("click", () => choose(null));
  choose(null);

  // The date as YYYY-MM-DD, or null for today.
  return () => chosen;
}
