import { Button, Checkbox, Group, NumberInput, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useDay, useMayForAll, useViewer } from "../../app/context";
import { ProductCreateDocument, ProductDeleteDocument, ProductRuleApplyDocument, ProductsDocument, type ProductsQuery, ProductUpdateDocument } from "../../gql";
import { Choose, ChooseMany } from "../../parts/choose";
import { Confirm } from "../../parts/confirm";
import { Dialog } from "../../parts/dialog";
import { formatDay, formatThrough } from "../../parts/format";
import { Rows } from "../../parts/rows";
import { useReason } from "../../parts/reason";
import { Failure, Loading, Problems } from "../../parts/states";

type Product = ProductsQuery["products"][number];
type Rule = ProductsQuery["productRules"][number];

/** The products, and what their rules require in the periods that have not ended before the day. */
export function Products() {
  const { onDate, asKnownAt } = useDay();
  const { data, error, loading } = useAnswer(ProductsDocument, { onDate, asKnownAt });
  const may = useMayForAll("write:agents");
  const [product, setProduct] = useState<Product | "new" | null>(null);
  const [rule, setRule] = useState<{ of: Product; was: Rule | null } | null>(null);
  if (error) return <Failure error={error} />;
  if (loading || !data) return <Loading what="products" />;
  const names = new Map([...data.jurisdictions, ...data.certificationTypes, ...data.providerCompanies].map((one) => [one.code, one.name]));
  const nameIn = (code: string) => names.get(code) ?? code;
  return (
    <Stack gap="lg">
      {may && (
        <Group>
          <Button size="xs" onClick={() => setProduct("new")}>
            New product
          </Button>
        </Group>
      )}
      {data.products.map((p) => (
        <section key={p.code} aria-label={p.name}>
          <Group gap="xs" mb={4}>
            <Text fw={600}>{p.name}</Text>
            <Text size="sm" c="dimmed">
              <span data-own>{p.code}</span>
              {["", p.lineOfAuthority, p.isWatched && "watched", !p.isEnabled && "disabled"].filter((one) => typeof one === "string").join(" · ")}
            </Text>
            {may && (
              <>
                <Button size="compact-xs" variant="default" onClick={() => setProduct(p)} aria-label={`Change ${p.name}`}>
                  Change
                </Button>
                <Button size="compact-xs" variant="default" onClick={() => setRule({ of: p, was: null })} aria-label={`New rule of ${p.name}`}>
                  New rule
                </Button>
              </>
            )}
          </Group>
          <Rows
            label={`Rules of ${p.name}`}
            head={["Rule", "States", "Requires", "From", "Through", ""]}
            rows={data.productRules.filter((r) => r.product === p.code).map((r) => ({
              key: `${r.rule} ${r.effectiveFrom}`,
              cells: [
                r.rule,
                r.jurisdictions.map(nameIn).join(", ") || "all",
                requires(r, nameIn),
                formatDay(r.effectiveFrom),
                formatThrough(r.effectiveThrough),
                may && (
                  <Button key="b" size="compact-xs" variant="default" onClick={() => setRule({ of: p, was: r })} aria-label={`Change ${r.rule}`}>
                    Change
                  </Button>
                ),
              ],
            }))}
          />
        </section>
      ))}
      {product && <EditProduct product={product === "new" ? null : product} onClose={() => setProduct(null)} />}
      {rule && <EditRule {...rule} data={data} onClose={() => setRule(null)} />}
    </Stack>
  );
}

const requires = (r: Rule, name: (code: string) => string) =>
  [
    r.certificationTypes.length > 0 && `${r.isResident === true ? "resident " : r.isResident === false ? "non-resident " : ""}${r.certificationTypes.map(name).join(r.requiresAll ? " and " : " or ")}`,
    r.providerCompany && `appointed by ${name(r.providerCompany)}`,
    r.requiresActiveStatus && "active pay status",
    r.minimumLevel !== null && `level ${r.minimumLevel} or higher`,
    r.uplineDepth > 0 && `the same of ${r.uplineDepth} above`,
  ]
    .filter(Boolean)
    .join("; ") || "nothing";

function EditProduct({ product, onClose }: { product: Product | null; onClose: () => void }) {
  const create = useAction(ProductCreateDocument);
  const update = useAction(ProductUpdateDocument);
  const remove = useAction(ProductDeleteDocument);
  const [asked, setAsked] = useState(false);
  const [code, setCode] = useState(product?.code ?? "");
  const [name, setName] = useState(product?.name ?? "");
  const [line, setLine] = useState(product?.lineOfAuthority ?? "");
  const [isWatched, setWatched] = useState(product?.isWatched ?? false);
  const [isEnabled, setEnabled] = useState(product?.isEnabled ?? true);
  const [why, reason] = useReason();
  const given = { name, lineOfAuthority: line || null, isWatched, isEnabled, ...why };
  const end = (done: unknown) => done && onClose();
  const save = async () => end(product ? await update.run({ known: [product.lastModified], input: { code: product.code, ...given } }) : await create.run({ input: { code, ...given } }));
  return (
    <Dialog onClose={onClose} title={product ? `Change ${product.name}` : "New product"}>
      <Stack>
        {!product && <TextInput label="Code" required value={code} onChange={(e) => setCode(e.currentTarget.value)} />}
        <TextInput label="Name" required value={name} onChange={(e) => setName(e.currentTarget.value)} />
        <TextInput label="Line of authority" value={line} onChange={(e) => setLine(e.currentTarget.value)} />
        <Checkbox label="Watched: changes of who may sell it are told" checked={isWatched} onChange={(e) => setWatched(e.currentTarget.checked)} />
        <Checkbox label="Enabled" checked={isEnabled} onChange={(e) => setEnabled(e.currentTarget.checked)} />
        {reason}
        <Problems problems={[...create.problems, ...update.problems, ...remove.problems]} />
        <Group justify="space-between">
          {product ? (
            <Button variant="default" loading={remove.busy} onClick={() => setAsked(true)}>
              Delete
            </Button>
          ) : (
            <span />
          )}
          <Button loading={create.busy || update.busy} onClick={() => void save()}>
            Save
          </Button>
        </Group>
      </Stack>
      {product && asked && (
        <Confirm title={`Delete ${product.name}`} yes="Delete the product" danger onClose={() => setAsked(false)} onYes={(why) => void remove.run({ known: [product.lastModified], code: product.code, ...why }).then(end)}>
          One that has rules is not deleted.
        </Confirm>
      )}
    </Dialog>
  );
}

const choiceOf = ({ code, name }: { code: string; name: string }) => ({ value: code, label: name });

const residences = [
  { value: "true", label: "Resident ones" },
  { value: "false", label: "Non-resident ones" },
];

/** Says what a rule requires from a day on; a rule that requires nothing ends there. */
function EditRule({ of, was, data, onClose }: { of: Product; was: Rule | null; data: ProductsQuery; onClose: () => void }) {
  const { today } = useViewer();
  const apply = useAction(ProductRuleApplyDocument);
  const [r, setR] = useState({
    rule: was?.rule ?? "", jurisdictions: was?.jurisdictions ?? [], certificationTypes: was?.certificationTypes ?? [], requiresAll: was?.requiresAll ?? false, isResident: was?.isResident ?? null,
    providerCompany: was?.providerCompany ?? null, requiresActiveStatus: was?.requiresActiveStatus ?? true, minimumLevel: was?.minimumLevel ?? null, uplineDepth: was?.uplineDepth ?? 0, effectiveFrom: today,
    effectiveThrough: null as string | null,
  });
  const set = (changed: Partial<typeof r>) => setR({ ...r, ...changed });
  const save = async () => (await apply.run({ known: [of.lastModified], input: { product: of.code, ...r } })) && onClose();
  return (
    <Dialog onClose={onClose} title={was ? `Change ${was.rule} of ${of.name}` : `New rule of ${of.name}`} size="lg">
      <Stack>
        {!was && <TextInput label="Rule" required value={r.rule} onChange={(e) => set({ rule: e.currentTarget.value })} />}
        <ChooseMany label="States" description="All, if none is chosen" data={data.jurisdictions.map(choiceOf)} value={r.jurisdictions} onChange={(jurisdictions) => set({ jurisdictions })} />
        <ChooseMany label="Certifications" data={data.certificationTypes.map(choiceOf)} value={r.certificationTypes} onChange={(certificationTypes) => set({ certificationTypes })} />
        <Checkbox label="All of them, and not any" checked={r.requiresAll} onChange={(e) => set({ requiresAll: e.currentTarget.checked })} />
        <Choose label="Which count" placeholder="Both" clearable data={residences} value={r.isResident === null ? null : String(r.isResident)} onChange={(v) => set({ isResident: v === null ? null : v === "true" })} />
        <Choose label="Appointed by" clearable data={data.providerCompanies.map(choiceOf)} value={r.providerCompany} onChange={(providerCompany) => set({ providerCompany })} />
        <Checkbox label="The pay status counts as active" checked={r.requiresActiveStatus} onChange={(e) => set({ requiresActiveStatus: e.currentTarget.checked })} />
        <Group grow>
          <NumberInput label="Lowest level" min={0} allowDecimal={false} value={r.minimumLevel ?? ""} onChange={(n) => set({ minimumLevel: n === "" ? null : Number(n) })} />
          <NumberInput label="The same of so many above" min={0} max={64} allowDecimal={false} value={r.uplineDepth} onChange={(n) => set({ uplineDepth: Number(n) || 0 })} />
        </Group>
        <Group grow>
          <TextInput type="date" label="From" required value={r.effectiveFrom} onChange={(e) => set({ effectiveFrom: e.currentTarget.value })} />
          <TextInput type="date" label="Through" value={r.effectiveThrough ?? ""} onChange={(e) => set({ effectiveThrough: e.currentTarget.value || null })} />
        </Group>
        <Problems problems={apply.problems} />
        <Group justify="flex-end">
          <Button loading={apply.busy} onClick={() => void save()}>
            Apply
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
