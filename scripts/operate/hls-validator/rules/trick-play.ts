import { isPicture, readCodecNames } from '../codec-name.ts'
import {
	describeLocation,
	listIFrames,
	listPictureStreams,
	listVariants,
	type Variant,
} from '../presentation.ts'
import { type Check, formatSeconds } from './check.ts'

export const trickPlayChecks: Check[] = [
	{
		rule: 17,
		section: '6.1',
		level: 'MUST',
		text: 'There are I-frame playlists.',
		*find(p) {
			const hasPictures =
				listPictureStreams(p).length > 0 ||
				listVariants(p).some(({ listed }) => listed.attributes.has('RESOLUTION'))
			if (p.master && hasPictures && listIFrames(p).length === 0)
				yield { where: p.name, message: 'has no I-frame playlist' }
		},
	},
	{
		rule: 17,
		section: '6.1a',
		level: 'SHOULD',
		text: 'Each video codec has I-frame playlists.',
		*find(p) {
			const familiesOf = (variants: Variant[]) =>
				variants.flatMap(({ listed, where }) =>
					readCodecNames(listed.attributes.get('CODECS'))
						.filter(isPicture)
						.map(({ family }) => ({ family, where })),
				)
			const served = new Set(familiesOf(listIFrames(p)).map(({ family }) => family))
			const lacking = familiesOf(listVariants(p)).filter(({ family }) => !served.has(family))
			if (served.size > 0)
				for (const family of new Set(lacking.map((each) => each.family)))
					yield { where: p.name, message: `${family} has no I-frame playlist` }
		},
	},
	{
		rule: 17,
		section: '6.2',
		level: 'SHOULD',
		text: 'Some I-frame playlist has a frame every second.',
		remark: 'This needs extra encoded frames; the I-frames of segments and the storyboard serve instead.',
		*find(p) {
			const gaps = listIFrames(p).flatMap(({ stream }) =>
				stream ? [Math.max(...stream.playlist.segments.map(({ duration }) => duration))] : [],
			)
			if (gaps.length > 0 && Math.min(...gaps) > 1.05)
				yield {
					where: p.name,
					message: `the densest one has a frame every ${formatSeconds(Math.min(...gaps))}`,
				}
		},
	},
	{
		rule: 17,
		section: '6.8',
		level: 'MUST',
		text: 'All I-frame playlists have EXT-X-I-FRAMES-ONLY, and no others do.',
		*find(p) {
			for (const { name, role, playlist } of p.streams)
				if ((role === 'iframes') !== playlist.isIFramesOnly)
					yield {
						where: name,
						message: role === 'iframes' ? 'lacks EXT-X-I-FRAMES-ONLY' : 'has EXT-X-I-FRAMES-ONLY',
					}
		},
	},
	{
		rule: 17,
		section: '6.10',
		level: 'MUST',
		text: 'Every entry of an I-frame playlist begins with the moof box and contains the whole frame.',
		*find(p) {
			for (const stream of p.streams.filter(({ role }) => role === 'iframes'))
				for (const [index, { media }] of stream.segments.entries()) {
					if (!media || media.format === 'ts') continue
					const [picture] = media.fragments
					if (!media.startsWithMoof)
						yield { where: describeLocation(stream, index), message: 'does not begin with a moof box' }
					else if (!picture?.startsWithKey || !picture.hasWholeFirstSample)
						yield { where: describeLocation(stream, index), message: 'does not contain a whole I-frame' }
				}
		},
	},
]
