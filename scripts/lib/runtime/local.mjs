// Runs in front of the Worker in local runs: each entrypoint is a module of its own.
export { Control } from './control.mjs'
export { DevProxy } from './dev-proxy.mjs'
export { Pages } from './pages.mjs'

/** Answers 404 on Miniflare's own port, which can't be closed. */
export default { fetch: () => new Response(null, { status: 404 }) }
