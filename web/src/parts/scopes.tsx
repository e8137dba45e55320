/** Scopes, each whole. */
export const Scopes = ({ scopes }: { scopes: string[] }) => (
  <span className="scopes">
    {scopes.map((scope) => (
      <code key={scope}>{scope}</code>
    ))}
  </span>
);
