package admission

import "sync"

// Seats counts, by owner, what is held for as long as a client likes.
type Seats struct {
	total, each int

	mu    sync.Mutex
	taken int
	owned map[string]int
}

// NewSeats returns total seats, of which one owner may have three quarters.
func NewSeats(total int) *Seats {
	return &Seats{total: total, each: share(total), owned: map[string]int{}}
}

// Seat is a seat that is taken; the zero value is none.
type Seat struct {
	seats *Seats
	owner string
}

// Take returns a seat for an owner; ok is false when there is none.
func (s *Seats) Take(owner string) (seat Seat, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken >= s.total || s.owned[owner] >= s.each {
		return Seat{}, false
	}
	s.taken++
	s.owned[owner]++
	return Seat{seats: s, owner: owner}, true
}

// Taken returns how many seats are taken.
func (s *Seats) Taken() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.taken
}

// Leave frees a seat; a second time it does nothing.
func (s *Seat) Leave() {
	if s.seats == nil {
		return
	}
	s.seats.mu.Lock()
	defer s.seats.mu.Unlock()
	s.seats.taken--
	s.seats.disown(s.owner)
	s.seats = nil
}

func (s *Seats) disown(owner string) {
	if s.owned[owner]--; s.owned[owner] == 0 {
		delete(s.owned, owner)
	}
}
