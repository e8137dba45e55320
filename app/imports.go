package app

import (
	"context"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/tenant"
)

// NewImports returns the import service with every entity that an area can import.
func NewImports(s *store.Store, c clock.Clock, v *vault.Vault, a *agency.Service, f *facts.Service, p *past.Past) *bulkimport.Service {
	return bulkimport.New(s, c, v, a.Lexicon(), p, map[string]bulkimport.Entity{
		bulkimport.Agent:           a.ImportAgents(),
		bulkimport.Certification:   a.ImportCertifications(),
		bulkimport.UplinePeriod:    a.ImportUplines(),
		bulkimport.LevelPeriod:     a.ImportLevels(),
		bulkimport.PayStatusPeriod: a.ImportPayStatuses(),

		bulkimport.PayStatus:         a.ImportPayStatusReference(),
		bulkimport.AgentLevel:        a.ImportAgentLevels(),
		bulkimport.CertificationType: a.ImportCertificationTypes(),
		bulkimport.Jurisdiction:      a.ImportJurisdictions(),
		bulkimport.ProviderCompany:   a.ImportProviderCompanies(),
		bulkimport.Tag:               a.ImportTags(),
		bulkimport.Product:           a.ImportProducts(),
		bulkimport.ProductRule:       a.ImportProductRules(),

		bulkimport.ProductionRecord: f.ImportProduction(),
		bulkimport.Commission:       f.ImportCommissions(),
	})
}

// mayUpload reports whether a caller may import anything: the files of other callers are
// not even read.
func mayUpload(ctx context.Context) bool {
	caller, _ := tenant.CallerFrom(ctx)
	return !caller.IsLimited() && (caller.HasScope("write:agents") || caller.HasScope("write:production"))
}
