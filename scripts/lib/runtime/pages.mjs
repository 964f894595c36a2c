// Serves static files to the Worker. The default entrypoint answers 404, because Miniflare's own port leads to it.
export default { fetch: () => new Response(null, { status: 404 }) }
export const Pages = {
	fetch: (request, env) => env.FILES.fetch(request),
}
