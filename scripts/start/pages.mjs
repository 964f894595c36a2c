// The static files, for the Worker to ask for. Not by the default entrypoint, to which Miniflare's own port leads.
export default { fetch: () => new Response(null, { status: 404 }) }
export const Pages = {
	fetch: (request, env) => env.FILES.fetch(request),
}
