/** Signs a query string with SigV4: a second implementation from the specification, independent of the library. */
export async function signBySpecification(
	secretAccessKey: string,
	method: string,
	path: string,
	url: string,
	headers: Record<string, string>,
): Promise<string> {
	const encode = (text: string) =>
		[...new TextEncoder().encode(text)]
			.map((byte) =>
				/[\w.~-]/.test(String.fromCharCode(byte)) && byte < 128
					? String.fromCharCode(byte)
					: `%${byte.toString(16).toUpperCase().padStart(2, '0')}`,
			)
			.join('')
	const query = new URL(url).search
		.slice(1)
		.split('&')
		.filter((pair) => !pair.startsWith('X-Amz-Signature='))
	const canonicalQuery = query
		.map((pair) => {
			const [name = '', value = ''] = pair.split('=').map((part) => encode(decodeURIComponent(part)))
			return { name, value }
		})
		.sort((a, b) => (a.name < b.name ? -1 : 1))
		.map(({ name, value }) => `${name}=${value}`)
		.join('&')
	const all = { ...headers, host: new URL(url).host } as Record<string, string>
	const names = Object.keys(all).sort()
	const lines = names.map((name) => `${name}:${(all[name] ?? '').trim().replaceAll(/ +/g, ' ')}\n`).join('')
	const canonical = [
		method,
		path.split('/').map(encode).join('/'),
		canonicalQuery,
		lines,
		names.join(';'),
		'UNSIGNED-PAYLOAD',
	].join('\n')
	const datetime = new URL(url).searchParams.get('X-Amz-Date') ?? ''
	const scope = [datetime.slice(0, 8), 'auto', 's3', 'aws4_request']
	const hex = (bytes: ArrayBuffer) =>
		[...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
	const bytes = new TextEncoder()
	const hash = hex(await crypto.subtle.digest('SHA-256', bytes.encode(canonical)))
	let secret: ArrayBuffer | Uint8Array = bytes.encode(`AWS4${secretAccessKey}`)
	for (const text of [...scope, ['AWS4-HMAC-SHA256', datetime, scope.join('/'), hash].join('\n')]) {
		const hmacKey = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [
			'sign',
		])
		secret = await crypto.subtle.sign('HMAC', hmacKey, bytes.encode(text))
	}
	return hex(secret as ArrayBuffer)
}
