/** A parsed name in CODECS (RFC 6381 and the bindings of each codec). */
export type NamedCodec = {
	name: string
	/** `avc1`, `hvc1`, `mp4a` … */
	format: string
	family: 'h264' | 'hevc' | 'av1' | 'aac' | 'sound' | 'text' | 'unknown'
	profile: number | null
	/** In the codec's own units: level 4.0 is 40 in H.264 and 120 in HEVC. */
	level: number | null
	tier: 'main' | 'high'
}

const families: Record<string, NamedCodec['family']> = {
	avc1: 'h264',
	avc3: 'h264',
	hvc1: 'hevc',
	hev1: 'hevc',
	av01: 'av1',
	mp4a: 'aac',
	'ac-3': 'sound',
	'ec-3': 'sound',
	opus: 'sound',
	flac: 'sound',
	alac: 'sound',
	wvtt: 'text',
	stpp: 'text',
}

export function readCodecName(name: string): NamedCodec {
	const [format = '', ...parts] = name.trim().split('.')
	const family = families[format.toLowerCase()] ?? families[format] ?? 'unknown'
	const base = { name: name.trim(), format, family, profile: null, level: null, tier: 'main' as const }
	const [first = '', second = '', third = ''] = parts
	if (family === 'h264' && /^[0-9a-f]{6}$/i.test(first)) {
		return { ...base, profile: parseInt(first.slice(0, 2), 16), level: parseInt(first.slice(4), 16) }
	}
	if (family === 'hevc') {
		const [, tier, level] = /^([LH])(\d+)$/.exec(third) ?? []
		const profile = Number(/\d+$/.exec(first)?.[0] ?? Number.NaN)
		return { ...base, profile, level: level ? Number(level) : null, tier: tier === 'H' ? 'high' : 'main' }
	}
	// In `mp4a.40.2` the last number is the MPEG-4 audio object type.
	if (family === 'aac' && first === '40') return { ...base, profile: Number(second) }
	return base
}

export const readCodecNames = (codecs: string | undefined): NamedCodec[] =>
	codecs === undefined || codecs === '' ? [] : codecs.split(',').map(readCodecName)

export const isPicture = ({ family }: NamedCodec): boolean => ['h264', 'hevc', 'av1'].includes(family)
export const isSound = ({ family }: NamedCodec): boolean => family === 'aac' || family === 'sound'
