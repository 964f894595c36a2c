// Adds the reload script to pages of the Worker (`npm run dev`). The page's policy is extended by this one script and
// the one address that it polls, so that nothing works here that would fail in production.

export function addReloadScript(response, version, origin) {
	if (!response.headers.get('content-type')?.startsWith('text/html')) return response
	const nonce = crypto.randomUUID()
	const script = `<script type="module" nonce="${nonce}" src="/_dev/reload.js?at=${version}"></script>`
	const page = new HTMLRewriter()
		.on('head', { element: (head) => head.append(script, { html: true }) })
		.transform(response)
	const policy = page.headers.get('content-security-policy')
	if (policy)
		page.headers.set('content-security-policy', allowReload(policy, nonce, `${origin}/_dev/changes`))
	// A cached page would hold the nonce of another response.
	page.headers.delete('etag')
	page.headers.set('cache-control', 'no-store')
	return page
}

export function allowReload(policy, nonce, changes) {
	const directives = new Map(
		policy
			.split(';')
			.map((directive) => directive.trim().split(/\s+/))
			.filter(([name]) => name)
			.map(([name, ...sources]) => [name, sources]),
	)
	const widen = (name, source) => {
		const sources = directives.get(name) ?? directives.get('default-src')
		// Without any directive the source is allowed already.
		if (sources) directives.set(name, [...sources.filter((each) => each !== "'none'"), source])
	}
	widen('script-src', `'nonce-${nonce}'`)
	widen('connect-src', changes)
	return [...directives].map((directive) => directive.flat().join(' ')).join('; ')
}
