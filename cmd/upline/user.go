package main

import (
	"bufio"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
)

type userCommand struct {
	Create   userCreateCommand   `cmd:"" help:"Create a user."`
	Password userPasswordCommand `cmd:"" help:"Set a user's password. All sessions and tokens of the user end."`
	Approve  userApproveCommand  `cmd:"" help:"Approve a user, who can sign in then."`
	List     userListCommand     `cmd:"" help:"List the users of a tenant."`
}

// password are the flags of a new password. The password itself is never an argument,
// since other users of the machine could see it.
type password struct {
	Generate bool `help:"Generate a password and print it, once. By default it is read from the first line of the standard input."`
}

// read returns the password, and what to print about it.
func (p password) read(in io.Reader) (vault.Secret, string, error) {
	if p.Generate {
		made := rand.Text()
		return vault.Secret(made), "password " + made + "\n", nil
	}
	line, err := bufio.NewReader(io.LimitReader(in, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", "", err
	}
	line = strings.TrimRight(line, "\r\n")
	if line == "" {
		return "", "", errors.New("give the password as the first line of the standard input, or use --generate")
	}
	return vault.Secret(line), "", nil
}

type userCreateCommand struct {
	ofTenant
	initiated
	password
	Username string   `arg:"" help:"The name to sign in with."`
	Roles    []string `help:"Names of roles, separated by commas."`
	Email    string   `help:"E-mail address."`
	Agent    string   `help:"Agent code of the agent that the user is linked to."`
	Pending  bool     `help:"Make the user Pending: unable to sign in until approved."`
}

// Run implements the command.
func (c *userCreateCommand) Run(ctx context.Context) error {
	secret, shown, err := c.read(os.Stdin)
	if err != nil {
		return err
	}
	status := identity.Approved
	if c.Pending {
		status = identity.Pending
	}
	in := identity.UserInput{Username: c.Username, Password: patch.Set(secret), Status: patch.Set(status), Roles: patch.Set(c.Roles),
		Email: patch.Set(c.Email), AgentCode: patch.Set(c.Agent)}
	return c.with(ctx, "user create", c.Initiator, func(ctx context.Context, s *identity.Service) error {
		user, err := s.CreateUser(ctx, in)
		if problem.Has(err, problem.UnknownRole) {
			return cmp.Or(unknownRole(ctx, s, c.Roles), err)
		}
		if err != nil {
			return err
		}
		fmt.Printf("user %s\n%s", user.Username, shown)
		return nil
	})
}

// unknownRole refuses the first of some names that no role of the tenant has, and names the
// nearest.
func unknownRole(ctx context.Context, s *identity.Service, names []string) error {
	list, err := s.Roles(ctx)
	if err != nil {
		return err
	}
	roles, err := list.Page(ctx, page.Args{First: new(list.Max)})
	if err != nil {
		return err
	}
	var all []string
	for _, role := range roles.Items {
		all = append(all, role.Name)
	}
	return known("role", names, all, "")
}

type userPasswordCommand struct {
	ofTenant
	initiated
	password
	Username string `arg:"" help:"The user's name."`
}

// Run implements the command.
func (c *userPasswordCommand) Run(ctx context.Context) error {
	secret, shown, err := c.read(os.Stdin)
	if err != nil {
		return err
	}
	return c.with(ctx, "user password", c.Initiator, func(ctx context.Context, s *identity.Service) error {
		if _, _, err := s.UpdateUser(ctx, c.Username, identity.UserInput{Password: patch.Set(secret)}); err != nil {
			return err
		}
		fmt.Print(shown)
		return nil
	})
}

type userApproveCommand struct {
	ofTenant
	initiated
	Username string `arg:"" help:"The user's name."`
}

// Run implements the command.
func (c *userApproveCommand) Run(ctx context.Context) error {
	return c.with(ctx, "user approve", c.Initiator, func(ctx context.Context, s *identity.Service) error {
		_, _, err := s.UpdateUser(ctx, c.Username, identity.UserInput{Status: patch.Set(identity.Approved)})
		return err
	})
}

type userListCommand struct{ ofTenant }

// Run implements the command.
func (c *userListCommand) Run(ctx context.Context) error {
	return c.list(ctx, "user list", func(ctx context.Context, s *identity.Service) error {
		all, err := s.Users(ctx, identity.UserFilter{}, nil)
		if err != nil {
			return err
		}
		for args := (page.Args{}); ; {
			users, err := all.Page(ctx, args)
			if err != nil {
				return err
			}
			for _, u := range users.Items {
				fmt.Printf("%-32s %-9s signed in %-10s %s\n", u.Username, u.Status, day(u.LastSignInAt), orNone(u.AgentCode))
			}
			if !users.HasNext {
				return nil
			}
			args.After = new(users.Cursor(users.Items[len(users.Items)-1]))
		}
	})
}

func orNone(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
