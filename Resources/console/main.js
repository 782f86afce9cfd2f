// Signs in and out, and says who is signed in.

const who = document.getElementById("who");
const form = document.getElementById("sign-in");
const signOut = document.getElementById("sign-out");

/** The access token where there is no cookie: over plain HTTP on this machine. */
let accessToken;

async function session(method, body) {
    const headers = {};
    if (body) headers["Content-Type"] = "application/json";
    if (accessToken) headers.Authorization = `Bearer ${accessToken}`;
    const response = await fetch("/console/session", {
        method, headers, body: body && JSON.stringify(body),
    });
    if (response.status === 204) return { kind: "anonymous" };
    const state = await response.json();
    if (!response.ok) throw new Error(state.detail);
    if (state.accessToken) accessToken = state.accessToken;
    return state;
}

function show(state) {
    const isAnonymous = state.kind === "anonymous";
    who.textContent = isAnonymous ? "You are not signed in." : `${state.name} (${state.role})`;
    form.hidden = !isAnonymous;
    signOut.hidden = isAnonymous;
}

async function attempt(work) {
    try { show(await work()); } catch (error) { who.textContent = error.message; }
}

form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { name, password } = Object.fromEntries(new FormData(form));
    attempt(() => session("POST", { name, password }));
});
signOut.addEventListener("click", () => attempt(async () => {
    const state = await session("DELETE");
    accessToken = undefined;
    return state;
}));

const token = new URLSearchParams(location.hash.slice(1)).get("token");
if (token) {
    history.replaceState(null, "", location.pathname);
    attempt(() => session("POST", { token }));
} else {
    attempt(() => session("GET"));
}
