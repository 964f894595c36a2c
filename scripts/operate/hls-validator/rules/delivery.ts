import type { Fetched } from '../presentation.ts'
import type { Check } from './check.ts'

/** Media types by file extension. */
const types: Record<string, string[]> = {
	m3u8: ['application/vnd.apple.mpegurl', 'audio/mpegurl', 'application/x-mpegurl'],
	m4s: ['video/iso.segment', 'video/mp4', 'audio/mp4'],
	cmfv: ['video/mp4', 'video/iso.segment'],
	cmfa: ['audio/mp4', 'video/iso.segment'],
	mp4: ['video/mp4', 'audio/mp4'],
	ts: ['video/mp2t'],
	aac: ['audio/aac'],
	vtt: ['text/vtt'],
	webvtt: ['text/vtt'],
}

const validTypes = ({ url, kind }: Fetched): string[] | undefined =>
	kind === 'playlist' ? types.m3u8 : types[/\.(\w+)$/.exec(new URL(url).pathname)?.[1]?.toLowerCase() ?? '']

const isLoopback = (url: URL): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname)

/** These checks apply to HTTP only, not to files on disk. */
export const deliveryChecks: Check[] = [
	{
		rule: 21,
		section: '8.18',
		level: 'MUST',
		text: 'Requests for media are not redirected.',
		*find({ fetched }) {
			for (const { url, kind, delivery } of fetched)
				if (kind !== 'playlist' && delivery?.redirectedTo)
					yield { where: url, message: `redirects to ${delivery.redirectedTo}` }
		},
	},
	{
		rule: 25,
		section: '10.1',
		level: 'MUST',
		text: 'Playlists are sent with gzip compression.',
		*find({ fetched }) {
			for (const { url, kind, delivery } of fetched)
				if (kind === 'playlist' && delivery && delivery.contentEncoding !== 'gzip')
					yield { where: url, message: `Content-Encoding is ${delivery.contentEncoding ?? 'missing'}` }
		},
	},
	{
		rule: 25,
		section: '10.4',
		level: 'MUST',
		text: 'Every file has the correct media type.',
		*find({ fetched }) {
			for (const each of fetched) {
				const valid = validTypes(each)
				const type = each.delivery?.contentType?.split(';')[0]?.trim().toLowerCase()
				if (each.delivery && valid && !valid.includes(type ?? ''))
					yield { where: each.url, message: `Content-Type is ${type ?? 'missing'}, not ${valid[0]}` }
			}
		},
	},
	{
		rule: 25,
		section: '11',
		level: 'MUST',
		text: 'Every file is sent over TLS.',
		*find({ fetched }) {
			const unencrypted = fetched.filter(({ url }) => url.startsWith('http:') && !isLoopback(new URL(url)))
			for (const origin of new Set(unencrypted.map(({ url }) => new URL(url).origin)))
				yield { where: origin, message: 'is not encrypted' }
		},
	},
]
