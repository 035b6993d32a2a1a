/** Gives back the variable that the plugin's script put aside, so that `exec -e` and our children see it. */
export function restoreCertificates(env: NodeJS.ProcessEnv): void {
  const kept = env["OPENTIGER_NODE_EXTRA_CA_CERTS"];
  if (kept === undefined) return;
  env["NODE_EXTRA_CA_CERTS"] = kept;
  delete env["OPENTIGER_NODE_EXTRA_CA_CERTS"];
}
