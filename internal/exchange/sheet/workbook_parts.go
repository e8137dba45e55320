package sheet

// The styles of cells, in the order of cellXfs below.
const (
	plain = iota
	bold
	dayOnly
	instant
)

const (
	packages  = `http://schemas.openxmlformats.org/package/2006/`
	documents = `http://schemas.openxmlformats.org/officeDocument/2006/relationships`
	main      = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"`
	types     = `application/vnd.openxmlformats-officedocument.spreadsheetml.`
)

// parts are the files of a workbook. The last is its sheet, up to the first row, which
// stays in sight.
var parts = []struct{ name, text string }{
	{"[Content_Types].xml", `<Types xmlns="` + packages + `content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ContentType="` + types + `sheet.main+xml"/>` +
		`<Override PartName="/xl/styles.xml" ContentType="` + types + `styles+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ContentType="` + types + `worksheet+xml"/></Types>`},
	{"_rels/.rels", `<Relationships xmlns="` + packages + `relationships">` +
		`<Relationship Id="rId1" Type="` + documents + `/officeDocument" Target="xl/workbook.xml"/></Relationships>`},
	{"xl/workbook.xml", `<workbook ` + main + ` xmlns:r="` + documents + `"><bookViews><workbookView/></bookViews><sheets><sheet name="` + sheetName + `" sheetId="1" r:id="rId1"/></sheets></workbook>`},
	{"xl/_rels/workbook.xml.rels", `<Relationships xmlns="` + packages + `relationships">` +
		`<Relationship Id="rId1" Type="` + documents + `/worksheet" Target="worksheets/sheet1.xml"/>` +
		`<Relationship Id="rId2" Type="` + documents + `/styles" Target="styles.xml"/></Relationships>`},
	{"xl/styles.xml", `<styleSheet ` + main + `>` +
		`<numFmts count="2"><numFmt numFmtId="164" formatCode="yyyy-mm-dd"/><numFmt numFmtId="165" formatCode="yyyy-mm-dd hh:mm:ss"/></numFmts>` +
		`<fonts count="2"><font><sz val="11"/><name val="Calibri"/><family val="2"/></font><font><b/><sz val="11"/><name val="Calibri"/><family val="2"/></font></fonts>` +
		`<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>` +
		`<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>` +
		`<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>` +
		`<cellXfs count="4"><xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>` +
		`<xf numFmtId="0" fontId="1" fillId="0" borderId="0" xfId="0" applyFont="1"/>` +
		`<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>` +
		`<xf numFmtId="165" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/></cellXfs>` +
		`<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>`},
	{"xl/worksheets/sheet1.xml", `<worksheet ` + main + `><sheetViews><sheetView tabSelected="1" workbookViewId="0">` +
		`<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>`},
}
