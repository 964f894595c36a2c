/* global SwaggerUIBundle */

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

async function showReference() {
	const spec = await (await fetch('/openapi.json')).json()
	// Requests go to the origin of this page, whatever the public address of the installation is.
	spec.servers = [{ url: location.origin }]
	SwaggerUIBundle({
		spec,
		dom_id: '#reference',
		deepLinking: true,
		displayRequestDuration: true,
		docExpansion: 'list',
		defaultModelsExpandDepth: 0,
		filter: true,
		tryItOutEnabled: true,
		// Operations are tried with what is entered here, not with the cookie of a signed-in person.
		requestInterceptor: (request) => ({ ...request, credentials: 'omit' }),
		// The default validator is a third-party service.
		validatorUrl: null,
		// Keeps the query string from loading another document.
		queryConfigEnabled: false,
	})
}

showReference().catch((error) => {
	document.getElementById('reference').textContent = `The API reference failed to load: ${error.message}`
})
