// Serves static files to the Worker.
export const Pages = {
	fetch: (request, env) => env.FILES.fetch(request),
}
