// The static files, for the Worker to ask for.
export default {
	fetch: (request, env) => env.FILES.fetch(request),
}
