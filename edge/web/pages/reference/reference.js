/* global SwaggerUIBundle */

const dark = matchMedia('(prefers-color-scheme: dark)')
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches)
dark.addEventListener('change', follow)
follow()

async function showReference() {
	const spec = await (await fetch('/openapi.json')).json()
	// Requests go where this page came from, whatever name the installation has outside.
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
		// The validator is a service of someone else.
		validatorUrl: null,
		// Takes no other address from the query string.
		queryConfigEnabled: false,
	})
}

showReference().catch((error) => {
	document.getElementById('reference').textContent = `The reference could not be shown: ${error.message}`
})
