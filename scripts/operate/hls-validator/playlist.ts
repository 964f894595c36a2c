import { type Attributes, type Complain, parseAttributes } from './attributes.ts'

export type ByteRange = { offset: number; length: number }
export type InitReference = { uri: string; byteRange: ByteRange | null }

export type ListedSegment = {
	uri: string
	line: number
	duration: number
	byteRange: ByteRange | null
	init: InitReference | null
	isDiscontinuous: boolean
}

export type Listed = { uri: string; line: number; attributes: Attributes }
export type Problem = { line: number; message: string }

type Common = { version: number; isIndependent: boolean; problems: Problem[] }
export type MasterPlaylist = Common & {
	kind: 'master'
	variants: Listed[]
	iframes: Listed[]
	/** `uri` is empty for renditions inside the variants. */
	renditions: Listed[]
}
export type MediaPlaylist = Common & {
	kind: 'media'
	targetDuration: number | null
	type: string | null
	isEnded: boolean
	isIFramesOnly: boolean
	segments: ListedSegment[]
}

const masterTags = ['EXT-X-STREAM-INF', 'EXT-X-I-FRAME-STREAM-INF', 'EXT-X-MEDIA', 'EXT-X-SESSION-DATA']
const mediaTags = [
	'EXTINF',
	'EXT-X-TARGETDURATION',
	'EXT-X-MEDIA-SEQUENCE',
	'EXT-X-PLAYLIST-TYPE',
	'EXT-X-ENDLIST',
	'EXT-X-MAP',
	'EXT-X-BYTERANGE',
	'EXT-X-I-FRAMES-ONLY',
	'EXT-X-DISCONTINUITY',
]
const onceTags = [
	'EXT-X-VERSION',
	'EXT-X-TARGETDURATION',
	'EXT-X-MEDIA-SEQUENCE',
	'EXT-X-PLAYLIST-TYPE',
	'EXT-X-ENDLIST',
	'EXT-X-I-FRAMES-ONLY',
	'EXT-X-INDEPENDENT-SEGMENTS',
]

type Tag = { name: string; value: string; line: number }
type Item = Tag | { uri: string; line: number }

/** Parses a playlist strictly by RFC 8216; deviations that lenient players accept are problems. */
export function parsePlaylist(text: string): MasterPlaylist | MediaPlaylist {
	const problems: Problem[] = []
	const items = readItems(text, problems)
	const tags = items.filter((item) => 'name' in item)
	for (const name of onceTags)
		for (const tag of tags.filter((each) => each.name === name).slice(1))
			problems.push({ line: tag.line, message: `#${name} appears twice` })
	const isMaster = tags.some(({ name }) => masterTags.includes(name))
	const wrong = tags.filter(({ name }) => isMaster && mediaTags.includes(name))
	for (const { name, line } of wrong)
		problems.push({ line, message: `#${name} is not allowed in a master playlist` })
	const common = {
		version: Number(tags.find(({ name }) => name === 'EXT-X-VERSION')?.value ?? 1),
		isIndependent: tags.some(({ name }) => name === 'EXT-X-INDEPENDENT-SEGMENTS'),
		problems,
	}
	const playlist = isMaster ? readMaster(items, common) : readMedia(items, common)
	problems.push(...versionProblems(tags, playlist))
	return playlist
}

function readItems(text: string, problems: Problem[]): Item[] {
	if (!/^#EXTM3U(\r?\n|$)/.test(text)) problems.push({ line: 1, message: 'does not begin with #EXTM3U' })
	return text.split(/\r?\n/).flatMap((content, index): Item[] => {
		const line = index + 1
		if (content !== content.trim()) problems.push({ line, message: 'begins or ends with white space' })
		const trimmed = content.trim()
		if (trimmed === '' || (trimmed.startsWith('#') && !trimmed.startsWith('#EXT'))) return []
		if (!trimmed.startsWith('#')) return [{ uri: trimmed, line }]
		const [, name = '', value = ''] = /^#([^:]+):?(.*)$/.exec(trimmed) ?? []
		return [{ name, value, line }]
	})
}

function readMaster(items: readonly Item[], common: Common): MasterPlaylist {
	const master: MasterPlaylist = { kind: 'master', ...common, variants: [], iframes: [], renditions: [] }
	let variant: { attributes: Attributes; line: number } | null = null
	for (const item of items) {
		const complain = (message: string) => common.problems.push({ line: item.line, message })
		if ('uri' in item) {
			if (variant) master.variants.push({ uri: item.uri, ...variant })
			else complain('a URI without #EXT-X-STREAM-INF before it')
			variant = null
			continue
		}
		if (variant) complain('#EXT-X-STREAM-INF is not followed by a URI')
		variant = null
		const { line, value } = item
		if (item.name === 'EXT-X-STREAM-INF') {
			variant = { attributes: required(value, ['BANDWIDTH'], complain), line }
		} else if (item.name === 'EXT-X-I-FRAME-STREAM-INF') {
			const attributes = required(value, ['BANDWIDTH', 'URI'], complain)
			master.iframes.push({ uri: attributes.get('URI') ?? '', line, attributes })
		} else if (item.name === 'EXT-X-MEDIA') {
			const attributes = required(value, ['TYPE', 'GROUP-ID', 'NAME'], complain)
			master.renditions.push({ uri: attributes.get('URI') ?? '', line, attributes })
		}
	}
	common.problems.push(...groupProblems(master))
	return master
}

function required(value: string, names: readonly string[], complain: Complain): Attributes {
	const attributes = parseAttributes(value, complain)
	for (const name of names) if (!attributes.has(name)) complain(`${name} is missing`)
	return attributes
}

function* groupProblems({ variants, renditions }: MasterPlaylist): Iterable<Problem> {
	for (const { attributes, line } of variants)
		for (const type of ['AUDIO', 'SUBTITLES']) {
			const group = attributes.get(type)
			const exists = renditions.some(
				(each) => each.attributes.get('TYPE') === type && each.attributes.get('GROUP-ID') === group,
			)
			if (group !== undefined && !exists) yield { line, message: `unknown ${type} group ${group}` }
		}
	const seen = new Set<string>()
	for (const { attributes, line } of renditions) {
		const key = ['TYPE', 'GROUP-ID', 'NAME'].map((name) => attributes.get(name)).join('\n')
		if (seen.has(key)) yield { line, message: `${attributes.get('NAME')} appears twice in its group` }
		seen.add(key)
	}
	const defaults = renditions.filter(({ attributes }) => attributes.get('DEFAULT') === 'YES')
	for (const [k, { attributes, line }] of defaults.entries()) {
		const isSame = (other: Listed) =>
			['TYPE', 'GROUP-ID'].every((name) => other.attributes.get(name) === attributes.get(name))
		if (defaults.slice(0, k).some(isSame)) yield { line, message: 'a second default in its group' }
		if (attributes.get('AUTOSELECT') === 'NO') yield { line, message: 'DEFAULT=YES needs AUTOSELECT=YES' }
	}
}

function readMedia(items: readonly Item[], common: Common): MediaPlaylist {
	const named = (name: string) =>
		items.find((item) => 'name' in item && item.name === name) as Tag | undefined
	const target = named('EXT-X-TARGETDURATION')
	const playlist: MediaPlaylist = {
		kind: 'media',
		...common,
		targetDuration: target && /^\d+$/.test(target.value) ? Number(target.value) : null,
		type: named('EXT-X-PLAYLIST-TYPE')?.value ?? null,
		isEnded: named('EXT-X-ENDLIST') !== undefined,
		isIFramesOnly: named('EXT-X-I-FRAMES-ONLY') !== undefined,
		segments: [],
	}
	if (playlist.targetDuration === null)
		common.problems.push({
			line: target?.line ?? 1,
			message: '#EXT-X-TARGETDURATION is missing or not a number',
		})
	let init: InitReference | null = null
	let next: { duration?: number; range?: string; isDiscontinuous?: boolean } = {}
	for (const item of items) {
		const complain = (message: string) => common.problems.push({ line: item.line, message })
		if ('uri' in item) {
			if (next.duration === undefined) complain('a URI without #EXTINF before it')
			const before = playlist.segments.at(-1)
			playlist.segments.push({
				uri: item.uri,
				line: item.line,
				duration: next.duration ?? 0,
				byteRange: readRange(next.range, before?.uri === item.uri ? before.byteRange : null, complain),
				init,
				isDiscontinuous: next.isDiscontinuous ?? false,
			})
			next = {}
		} else if (item.name === 'EXTINF') {
			const duration = /^(\d+(?:\.\d+)?),/.exec(item.value)?.[1]
			if (duration === undefined) complain('#EXTINF is not a number followed by a comma')
			next.duration = Number(duration ?? 0)
		} else if (item.name === 'EXT-X-BYTERANGE') next.range = item.value
		else if (item.name === 'EXT-X-DISCONTINUITY') next.isDiscontinuous = true
		else if (item.name === 'EXT-X-MAP') {
			const attributes = required(item.value, ['URI'], complain)
			const byteRange = readRange(attributes.get('BYTERANGE'), null, complain)
			init = { uri: attributes.get('URI') ?? '', byteRange }
		}
	}
	if (next.duration !== undefined)
		common.problems.push({ line: items.at(-1)?.line ?? 1, message: '#EXTINF is not followed by a URI' })
	if (playlist.segments.length === 0) common.problems.push({ line: 1, message: 'there are no segments' })
	return playlist
}

function readRange(text: string | undefined, before: ByteRange | null, complain: Complain): ByteRange | null {
	if (text === undefined) return null
	const [, length, offset] = /^(\d+)(?:@(\d+))?$/.exec(text) ?? []
	if (length === undefined) complain(`${text} is not a byte range`)
	if (offset === undefined && !before) complain(`${text} has no offset`)
	return {
		length: Number(length ?? 0),
		offset: Number(offset ?? (before ? before.offset + before.length : 0)),
	}
}

function* versionProblems(tags: readonly Tag[], playlist: MasterPlaylist | MediaPlaylist): Iterable<Problem> {
	const needs: [number, (tag: Tag) => boolean][] = [
		[3, ({ name, value }) => name === 'EXTINF' && value.includes('.')],
		[4, ({ name }) => name === 'EXT-X-BYTERANGE' || name === 'EXT-X-I-FRAMES-ONLY'],
		[playlist.kind === 'media' && playlist.isIFramesOnly ? 5 : 6, ({ name }) => name === 'EXT-X-MAP'],
	]
	for (const [version, matches] of needs) {
		const tag = tags.find(matches)
		if (tag && playlist.version < version)
			yield { line: tag.line, message: `#${tag.name} needs #EXT-X-VERSION:${version}` }
	}
}
