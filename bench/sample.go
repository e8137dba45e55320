package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strconv"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/platform/store"
)

// walk reads the whole list of agents, as a client would, to choose from.
func walk(s *server) (*sample, error) {
	found := &sample{run: time.Now().Unix()}
	e, err := newEnvelope(s, question{name: "walk"})
	if err != nil {
		return nil, err
	}
	c, err := dial(s.address)
	if err != nil {
		return nil, err
	}
	defer c.conn.Close()
	uplines := map[string]bool{}
	variables := map[string]any{"after": nil}
	for {
		request, err := e.bytes(ask{variables: variables})
		if err != nil {
			return nil, err
		}
		body, err := c.roundTrip(request, "")
		if err != nil {
			return nil, err
		}
		var answer struct {
			Data struct {
				Agents struct {
					Nodes []struct {
						AgentCode string
						Upline    *struct{ AgentCode string }
					}
					PageInfo struct {
						HasNextPage bool
						EndCursor   string
					}
				}
			}
		}
		if err := json.Unmarshal(body, &answer); err != nil {
			return nil, err
		}
		list := answer.Data.Agents
		for _, a := range list.Nodes {
			found.agents = append(found.agents, a.AgentCode)
			if a.Upline != nil && !uplines[a.Upline.AgentCode] {
				uplines[a.Upline.AgentCode] = true
				found.uplines = append(found.uplines, a.Upline.AgentCode)
			}
		}
		if !list.PageInfo.HasNextPage {
			return found, nil
		}
		found.pages = append(found.pages, place{list.PageInfo.EndCursor, list.Nodes[len(list.Nodes)-1].AgentCode})
		variables["after"] = list.PageInfo.EndCursor
	}
}

// compared is the number of answers that must be equal before a question is
// measured.
const compared = 50

// compare asks both servers the same.
func compare(q question, s *sample, one, other *server) error {
	r := rand.New(rand.NewPCG(1, 1))
	for range compared {
		a := q.ask(s, r)
		b := a
		if a.body != nil {
			b = q.ask(s, rand.New(rand.NewPCG(1, 2))) // the same cannot be added twice
		}
		left, err := answerOf(q, one, a)
		if err != nil {
			return err
		}
		right, err := answerOf(q, other, b)
		if err != nil {
			return err
		}
		if !reflect.DeepEqual(left, right) {
			return fmt.Errorf("%s %v: the answers differ:\n%v\n%v", q.name, a.variables, left, right)
		}
	}
	return nil
}

func answerOf(q question, s *server, a ask) (any, error) {
	e, err := newEnvelope(s, q)
	if err != nil {
		return nil, err
	}
	c, err := dial(s.address)
	if err != nil {
		return nil, err
	}
	defer c.conn.Close()
	request, err := e.bytes(a)
	if err != nil {
		return nil, err
	}
	body, err := c.roundTrip(request, q.proof)
	if err != nil {
		return nil, err
	}
	var answer struct{ Data map[string]any }
	err = json.Unmarshal(body, &answer)
	if p, ok := answer.Data["certificationUpsert"].(map[string]any); ok {
		delete(p["certification"].(map[string]any), "identifier") // each writes its own
	}
	return answer.Data, err
}

// statements counts the statements of a few requests, one after another in
// this process: the least and the most.
func statements(ctx context.Context, a *app.App, q question, s *sample, token string) (least, most int64, err error) {
	handler := a.Handler()
	r := rand.New(rand.NewPCG(2, 2))
	for i := range compared {
		body, err := json.Marshal(map[string]any{"query": q.document(), "variables": q.ask(s, r).variables})
		if err != nil {
			return 0, 0, err
		}
		counted, n := store.CountStatements(ctx)
		request := httptest.NewRequestWithContext(counted, http.MethodPost, "/graphql/"+tenantIdentifier, bytes.NewReader(body))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Authorization", "Bearer "+token)
		handler.ServeHTTP(httptest.NewRecorder(), request)
		if i == 0 {
			continue // the first one may fill caches
		}
		if count := n.Load(); least == 0 || count < least {
			least = count
		}
		most = max(most, n.Load())
	}
	return least, most, nil
}

func span(least, most int64) string {
	if least == most {
		return strconv.FormatInt(least, 10)
	}
	return fmt.Sprintf("%d–%d", least, most)
}
