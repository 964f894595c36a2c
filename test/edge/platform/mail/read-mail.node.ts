/** Parses enough of MIME to return what a recipient sees: headers as text, and parts by type. */
export function readMail(raw: string) {
	const { headers, body } = split(raw)
	const boundary = /boundary="([^"]+)"/.exec(headers.get('content-type')?.[0] ?? '')?.[1]
	const parts = new Map<string, string>()
	if (boundary)
		for (const piece of body.split(`--${boundary}`).slice(1, -1)) {
			const part = split(piece.replace(/^\r\n/, ''))
			const type = part.headers.get('content-type')?.[0]?.split(';')[0] ?? ''
			const encoding = part.headers.get('content-transfer-encoding')?.[0] ?? '7bit'
			parts.set(type, decodeBody(part.body.replace(/\r\n$/, ''), encoding).replaceAll('\r\n', '\n'))
		}
	return { header: (name: string) => headers.get(name)?.map(decodeWords) ?? [], parts }
}

function split(text: string) {
	const end = text.indexOf('\r\n\r\n')
	const headers = new Map<string, string[]>()
	for (const line of text
		.slice(0, end)
		.replace(/\r\n[ \t]+/g, ' ')
		.split('\r\n')) {
		const colon = line.indexOf(':')
		const name = line.slice(0, colon).toLowerCase()
		headers.set(name, [...(headers.get(name) ?? []), line.slice(colon + 1).trim()])
	}
	return { headers, body: text.slice(end + 4) }
}

const fromLatin1 = (text: string) => Buffer.from(text, 'latin1').toString('utf8')

const fromQuoted = (text: string) =>
	fromLatin1(
		text.replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
	)

function decodeBody(text: string, encoding: string): string {
	if (encoding === 'base64') return Buffer.from(text, 'base64').toString('utf8')
	return encoding === 'quoted-printable' ? fromQuoted(text.replaceAll('=\r\n', '')) : fromLatin1(text)
}

const decodeWords = (text: string) =>
	text
		.replace(/\?=\s+=\?/g, '?==?')
		.replace(/=\?UTF-8\?([QB])\?([^?]*)\?=/gi, (_, kind: string, word: string) =>
			kind.toUpperCase() === 'B'
				? Buffer.from(word, 'base64').toString('utf8')
				: fromQuoted(word.replaceAll('_', ' ')),
		)
