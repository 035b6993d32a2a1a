/** What a login link opens. The token stands behind the #, where only this script sees it. */
export const loginPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>openTiger</title>
<link rel="icon" type="image/svg+xml" href="/favicon.svg">
<p id="said">Logging in…</p>
<script src="/login.js"></script>
</html>
`;

export const loginScript = `const said = document.getElementById("said");
const token = location.hash.slice(1);
history.replaceState(null, "", "/login");
fetch("/auth/session", {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ token }),
}).then(async (answer) => {
  if (answer.ok) return location.replace("/");
  const { message, remedy } = await answer.json();
  said.textContent = [message, remedy].filter(Boolean).join(". ");
}).catch(() => {
  said.textContent = "The server does not answer.";
});
`;
