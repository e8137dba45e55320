# Type "make" for the list of targets.

GO ?= go

# Not a tool of go.mod: together with what goose needs it asks for a version of
# golang.org/x/exp that cannot be had everywhere. It runs from its own module.
STATICCHECK = $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2

# The packages whose values several goroutines share. The race detector compiles
# everything anew, SQLite too, so the others are left out; the doors and the areas
# are watched where the assembled server is asked for many things side by side.
RACE = ./internal/platform/tail ./internal/platform/admission ./internal/platform/store/... ./internal/platform/oauth/... ./internal/platform/vault/... ./graph/limits ./graph/transport
REPEATED = Matrix|Fuzz
DELIVERING = /sqlite
BESIDE = Concurrent|Stream|Subscri|Following|OneKey|AtOnce

# What "go generate" writes, with a line for each file and its content.
GENERATED = ent/db graph/generated graph/model/model_gen.go schema.graphql
SNAPSHOT = find $(GENERATED) -type f 2>/dev/null | sort | while read -r f; do echo "$$f $$(git hash-object "$$f")"; done

WEB = find app/pages/workbench/dist -type f | sort | while read -r f; do echo "$$f $$(git hash-object "$$f")"; done

# A package may take more than Go's ten minutes where two slow processors do other work.
# Tests that mostly wait do so side by side, more of them than there are processors, and
# so do packages, since their databases are other processes.
PATIENTLY = -timeout 45m -parallel 6

# On other databases than "make test" has: Go would take results that it keeps from there,
# since it does not know which database a test found.
ANEW = $(PATIENTLY) -count=1

# What "make check" does is not done again with each test: vet. Without tables for
# debuggers a test is linked in half of the time.
QUICKLY = -vet=off -ldflags=-w -p 3
# The longest begin first, so that nothing waits for them at the end.
LONGEST = ./proof/doors ./proof/agency ./app ./graph ./rest ./app/journey ./internal/webhooks ./cmd/upline ./internal/hierarchy

# The tests that run programs of others: a browser, clients, proxies, generators, Helm.
OUTSIDE = TestAlertRules|TestChart|TestClients|TestDocumentsOfThePeersBenchmark|TestFederation|TestGoClients|TestGuides|TestGuidesRepeat|TestInspector|TestInspectorAgrees|TestLoginLibrary|TestNpmVerifiersAccept|TestOAuth2Proxy|TestOpenAPIClients|TestPagesMarkFormulasAsTheServerDoes|TestPortals|TestPublicSuite|TestReceivers|TestTrustedDocumentsOfTools|TestUnitIsHardened|TestWorkbench
# The tests that prove the more the longer they run: ledgers, histories, faults, kills,
# topologies. Each has a short round here, and a long one in "make soak".
PROOF = TestDeletionBettersNobody|TestEveryValueIsAsKnown|TestEverythingIsAsKnown|TestHistories|TestKilledExport|TestKilledImport|TestKilledRebuild|TestKilledServer|TestKilledUndo|TestLedger|TestLedgers|TestLostAnswers|TestMidnights|TestMigrationsWithFaults|TestReplica|TestStoriesWithFaults|TestTakingBackBesideOthers|TestTopologies|TestTranscriptsWithFaults|TestUndoFailsWhole|TestUndoWhileConnectionsDie|TestUpdatesChangeOnlyWhatTheyName|TestWorkWithFaults
# The packages that have tests of these names.
packages = $(shell grep -rlE --include='*_test.go' '^func ($(1)).t ' app cmd ent graph internal proof rest | xargs -n 1 dirname | sort -u | sed 's,^,./,')
# A tenth to a quarter of the time is the collector's otherwise.
test test-outside proof race-beside race-shared: export GOGC ?= 400

# Two at a time: much of each is waiting.
TOGETHER = $(MAKE) --no-print-directory -j 2 --output-sync=target

# The packages that check properties on random cases.
RANDOM = $(shell grep -rl --include='*_test.go' 'rapid\.Check' cmd ent graph internal proof rest | xargs -n 1 dirname | sort -u | sed 's,^,./,')

FUZZTIME ?= 5s
BENCH ?= .

.PHONY: help run test test-outside proof check check-generated check-web generate web lint race race-beside race-shared soak mutants policies topologies citus upgrade-check bench fuzz cover

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: ## a server with a demo agency, on http://127.0.0.1:8080
	$(GO) run ./cmd/upline demo

test: ## the tests that Go alone can run; PostgreSQL if it is there
	@if [ -z "$$UPLINE_TEST_DATABASE_URL" ] && ! command -v postgres >/dev/null && ! ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1; then \
		echo '*** LEFT OUT: every test on PostgreSQL. Install its server, or set UPLINE_TEST_DATABASE_URL (docs/testing.md).'; fi
	$(GO) test $(PATIENTLY) $(QUICKLY) -skip '^($(OUTSIDE)|$(PROOF))$$' $(LONGEST) ./...

test-outside: ## the tests that run programs of others: a browser, clients, oauth2-proxy, generators, Helm; says first what it leaves out
	@if ! command -v node >/dev/null || ! { command -v npm >/dev/null || [ -n "$$UPLINE_TEST_GRAPHQL_HTTP" ]; }; then \
		echo '*** LEFT OUT: the public suite of GraphQL over HTTP. Install node and npm (docs/testing.md).'; fi
	@if ! command -v node >/dev/null || ! command -v chromium >/dev/null || [ ! -d web/node_modules/playwright-core ]; then \
		echo '*** LEFT OUT: the journeys through the workbench. Install node and chromium, and type: npm ci --prefix web --ignore-scripts (docs/testing.md).'; fi
	@if ! command -v node >/dev/null || [ ! -d clients/node_modules ]; then \
		echo '*** LEFT OUT: the clients that people use. Install node, and type: npm ci --prefix clients --ignore-scripts (docs/testing.md).'; fi
	@if ! command -v node >/dev/null || [ ! -d clients/openapi/node_modules ]; then \
		echo '*** LEFT OUT: generators at the OpenAPI document. Install node, and type: npm ci --prefix clients/openapi --ignore-scripts (docs/testing.md).'; fi
	@if ! GOPROXY=off $(GO) -C clients/go list -deps tool >/dev/null 2>&1; then \
		echo '*** LEFT OUT: generators in Go, at the OpenAPI document and the schema. Type: go -C clients/go mod download (docs/testing.md).'; fi
	@if ! GOPROXY=off $(GO) -C clients/oauth2-proxy list -deps tool >/dev/null 2>&1; then \
		echo '*** LEFT OUT: oauth2-proxy. Type: go -C clients/oauth2-proxy mod download (docs/testing.md).'; fi
	@if ! GOPROXY=off $(GO) -C deploy/helm list -deps -test ./... >/dev/null 2>&1; then \
		echo '*** LEFT OUT: the Helm chart. Type: go -C deploy/helm mod download (docs/testing.md).'; fi
	$(GO) test $(PATIENTLY) $(QUICKLY) -run '^($(OUTSIDE))$$' $(call packages,$(OUTSIDE))

proof: ## short rounds of what "make soak" does for hours: ledgers, histories, faults, kills, topologies
	$(GO) test $(PATIENTLY) $(QUICKLY) -run '^($(PROOF))$$' $(call packages,$(PROOF))

check: check-generated ## what a change must pass besides the tests
	@$(TOGETHER) check-web lint race-beside race-shared

check-generated: ## generated files are up to date
	@before=$$($(SNAPSHOT)); $(GO) generate ./... || exit 1; after=$$($(SNAPSHOT)); \
	if [ "$$before" != "$$after" ]; then \
		git --no-pager diff --stat -- $(GENERATED); \
		echo 'Generated files were out of date and have been written anew. Look at them, then type: git add $(GENERATED) && git commit'; \
		exit 1; fi

check-web: ## the workbench that is committed is what its sources make
	@if ! command -v node >/dev/null || [ ! -d web/node_modules/vite ]; then \
		echo '*** LEFT OUT: whether the built workbench is up to date. Install node, and type: npm ci --prefix web --ignore-scripts'; exit 0; fi; \
	before=$$($(WEB)); npm run --silent --prefix web build || exit 1; after=$$($(WEB)); \
	if [ "$$before" != "$$after" ]; then \
		git --no-pager diff --stat -- app/pages/workbench/dist; \
		echo 'The built workbench was out of date and has been built anew. Type: git add app/pages/workbench/dist && git commit'; \
		exit 1; fi

web: ## build the workbench anew, from web into app/pages/workbench/dist; needs node and npm
	npm ci --prefix web --ignore-scripts
	npm run --prefix web build

generate: ## write the generated files anew
	$(GO) generate ./...

lint: ## go vet, staticcheck, gofmt
	@unformatted=$$(gofmt -l $$(find . -name '*.go' -not -path './ent/db/*' -not -path './graph/generated/*')); \
	if [ -n "$$unformatted" ]; then echo "Not formatted; type: gofmt -w $$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(STATICCHECK) ./...

race: ## tests of what is shared between goroutines, with the race detector
	@$(TOGETHER) race-beside race-shared

race-beside:
	$(GO) test $(PATIENTLY) $(QUICKLY) -race -run '$(BESIDE)' ./app ./proof/doors

race-shared:
	$(GO) test $(PATIENTLY) $(QUICKLY) -race -skip '$(REPEATED)' $(RACE)
	$(GO) test $(PATIENTLY) $(QUICKLY) -race -run '$(DELIVERING)' ./internal/webhooks ./internal/platform/events
	$(GO) test $(PATIENTLY) $(QUICKLY) -race ./internal/hierarchy -rapid.checks=10

soak: ## the loops that tell more the longer they run: kills, random documents, sweeps, random cases, fuzz targets
	$(GO) test -timeout 0 -v -run 'TestLedger|TestTopologies' ./proof/ledger -ledger 200
	$(GO) test -timeout 0 -v ./rest ./app/journey ./ent/migrations -run "WithFaults|TestLostAnswers" -faults
	$(GO) test -timeout 0 -v -parallel 9 -run 'TestHistories' ./proof/ledger -histories 250000
	$(GO) test -timeout 0 -v -run 'TestEveryValueIsAsKnown|TestEverythingIsAsKnown|TestDeletionBettersNobody' ./graph -ledgers 200
	$(GO) test -timeout 0 -v ./app/takeback -ledgers 1000 -steps 60 -beside 20s
	$(GO) test -timeout 0 -run TestMidnights ./proof/doors -years 10
	$(GO) test -timeout 0 ./app/journey -sweep-every 1
	$(GO) test -timeout 0 ./graph -run TestUpdatesChangeOnlyWhatTheyName -updates 100
	UPLINE_JOURNEY_CASES=20000 $(GO) test -timeout 0 ./cmd/upline -run TestWorkbench/sqlite
	$(GO) test -timeout 0 $(RANDOM) -rapid.checks 1000
	$(GO) test -timeout 0 -run 'TestProvisionedAsAsked|TestFiltersOfProvisioning' ./app -rapid.checks 5000
	$(GO) test -timeout 0 -run 'TestRandomFiles|TestImportsAreKept' ./proof/doors -rapid.checks 10000
	$(GO) test -timeout 0 ./proof/authorization -run TestOracle -rapid.checks 100000
	$(MAKE) fuzz FUZZTIME=1m

# FAULT=word tries the faults with this word in their names.
mutants: ## plant each fault of the folder mutants and see which test finds it; an hour or more
	$(GO) run ./mutants $(FAULT)

policies: ## the tests on PostgreSQL as a role that row-level security holds for
	UPLINE_TEST_POLICIES=1 UPLINE_TEST_REQUIRE=postgres $(GO) test $(ANEW) -run '/postgres' ./graph ./rest ./app/... ./proof/doors ./proof/ledger ./internal/exchange/bulkimport ./internal/hierarchy ./internal/webhooks ./internal/demo

topologies: ## the tests that tell most, through PgBouncer, with a read replica, with three servers, over a network that fails; a hundred kills in each
	UPLINE_TEST_POOLER=pgbouncer $(GO) test $(ANEW) -run '/postgres' ./rest ./app/journey
	UPLINE_TEST_REPLICA=1 $(GO) test $(ANEW) -run '/postgres' ./rest ./app/journey
	$(GO) test $(ANEW) -run 'TestReplica|TestTopologies' ./proof/ledger -v -ledger 100

citus: export UPLINE_TEST_CITUS = 1
citus: export UPLINE_TEST_REQUIRE = postgres
citus: ## the tests that tell most, on a coordinator of Citus with two workers; a hundred kills; another worker is added meanwhile
	$(GO) test $(ANEW) -run OnCitus ./internal/platform/store
	$(GO) test $(ANEW) -run '/postgres' ./internal/platform/listing ./rest ./app/journey
	$(GO) test $(ANEW) -v -run TestCitus ./proof/ledger -ledger 100

# The version that upgrade-check upgrades from: the last release, or the commit before.
FROM ?= $(shell git describe --tags --abbrev=0 2>/dev/null || git rev-parse HEAD^)

upgrade-check: ## servers of an earlier version (FROM) and of this one beside each other, while the database is migrated
	@folder=$$(mktemp -d) && trap 'rm -rf "$$folder"' EXIT && git archive $(FROM) | tar -x -C "$$folder" && \
		$(GO) -C "$$folder" build -trimpath -buildvcs=false -o "$$folder/upline-previous" ./cmd/upline && \
		UPLINE_TEST_PREVIOUS="$$folder/upline-previous" $(GO) test -count 1 -v -run TestRollingUpgrade ./cmd/upline

bench: ## benchmarks; BENCH=regexp selects some
	$(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

fuzz: ## every fuzz target, each for FUZZTIME (5s)
	@grep -rl --include='*_test.go' '^func Fuzz' . | while read -r f; do \
		sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$$f" | while read -r target; do \
			echo "== $$(dirname "$$f") $$target"; \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$(dirname "$$f")" </dev/null || exit 1; \
		done || exit 1; \
	done

cover: ## coverage of the tests, by function in coverage.out
	$(GO) test -coverprofile=coverage.out ./...
	$(GO) tool cover -func=coverage.out | tail -1

# What a release is made of: static binaries, which need nothing else on a machine.
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null)
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64
LDFLAGS = -s -w -X main.releaseVersion=$(VERSION) -X main.releaseCommit=$$(git rev-parse HEAD) -X main.releaseDate=$$(git log -1 --format=%cI)

# The chart and compose.yaml ask for this tag; "upline version" tells the commit.
IMAGE_TAG = $(shell sed -n 's/^appVersion: "\(.*\)"/\1/p' deploy/helm/upline/Chart.yaml)

.PHONY: release release-check image

release: ## binaries for PLATFORMS in dist, as archives with checksums, manual page, and what they were built of with its licences
	@rm -rf dist && mkdir dist
	@$(GO) run ./cmd/upline man > dist/upline.1
	@for p in $(PLATFORMS); do os=$${p%/*}; arch=$${p#*/}; to=dist/$$os-$$arch; mkdir -p $$to && echo "$$to" && \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch $(GO) build -trimpath -buildvcs=false -ldflags "$(LDFLAGS)" -o $$to/upline ./cmd/upline && \
		$(GO) run ./deploy/sbom $$to/upline $(VERSION) && cp LICENSE README.md SECURITY.md deploy/systemd/upline.service dist/upline.1 $$to && \
		tar -C dist --sort=name --owner=0 --group=0 --mtime="$$(git log -1 --format=%cI)" -czf dist/upline-$(VERSION)-$$os-$$arch.tar.gz $$os-$$arch || exit 1; \
	done
	@cd dist && sha256sum *.tar.gz > checksums.txt && cat checksums.txt

release-check: ## what of a release can be proved here, without a network: the archive for this machine, the unit, the alerts
	$(MAKE) release PLATFORMS=$$($(GO) env GOOS)/$$($(GO) env GOARCH)
	./deploy/check dist

image: ## a container image of the binary, by docker if its daemon runs, otherwise by buildah
	$(MAKE) release PLATFORMS=linux/$$($(GO) env GOARCH)
	cp /etc/ssl/certs/ca-certificates.crt dist/
	$$(docker info >/dev/null 2>&1 && echo docker build || echo buildah build --format docker) --build-arg TARGETARCH=$$($(GO) env GOARCH) -t upline:$(IMAGE_TAG) .
