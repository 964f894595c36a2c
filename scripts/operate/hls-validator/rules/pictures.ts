import { computeFrameDurationSec, findTrack, listPictureStreams, listVariants } from '../presentation.ts'
import { measureAverage } from '../weight.ts'
import { type Check, formatKbps, formatPercent } from './check.ts'

const MAX_FPS = 60
/** Recommended bit rate of the first variant. */
const FIRST_BPS = 2_000_000
/** Sizes are even numbers, so the smallest rungs are off by nearly a percent. */
const ASPECT_TOLERANCE = 0.015

function sizeOf(resolution: string | undefined): { width: number; height: number } | null {
	const [, width, height] = /^(\d+)x(\d+)$/.exec(resolution ?? '') ?? []
	return width && height ? { width: Number(width), height: Number(height) } : null
}

export const pictureChecks: Check[] = [
	{
		rule: 7,
		section: '1.14',
		level: 'MUST',
		text: 'Video is not interlaced.',
		*find(p) {
			for (const stream of listPictureStreams(p))
				if (findTrack(stream, 'video')?.isInterlaced)
					yield { where: stream.name, message: 'its parameter sets declare interlaced video' }
		},
	},
	{
		rule: 7,
		section: '1.19',
		level: 'MUST',
		text: 'The frame rate is at most 60.',
		*find(p) {
			for (const { listed, where } of listVariants(p)) {
				const declared = Number(listed.attributes.get('FRAME-RATE') ?? 0)
				if (declared > MAX_FPS) yield { where, message: `FRAME-RATE is ${declared}` }
			}
			for (const stream of listPictureStreams(p)) {
				const fps = 1 / (computeFrameDurationSec(stream) || 1)
				if (fps > MAX_FPS * 1.005)
					yield { where: stream.name, message: `has ${fps.toFixed(2)} frames a second` }
			}
		},
	},
	{
		rule: 8,
		section: '1.21',
		level: 'MUST',
		text: 'The color space of a stream does not change.',
		*find(p) {
			for (const stream of listPictureStreams(p)) {
				const tracks = stream.inits.flatMap(({ tracks }) => tracks).filter(({ kind }) => kind === 'video')
				const colors = [...new Set(tracks.map(({ color }) => color ?? 'unspecified'))]
				if (colors.length > 1) yield { where: stream.name, message: `has ${colors.join(', then ')}` }
			}
		},
	},
	{
		rule: 12,
		section: '1.32',
		level: 'SHOULD',
		text: 'The first variant is the one closest to 2000 kb/s.',
		*find(p) {
			const family = (codecs: string | undefined) => codecs?.slice(0, 4)
			const variants = listVariants(p).flatMap(({ listed, stream, where }) => {
				const codec = family(listed.attributes.get('CODECS'))
				return stream ? [{ where, codec, bps: measureAverage(p, listed, stream) }] : []
			})
			const distance = ({ bps }: { bps: number }) => Math.abs(bps - FIRST_BPS)
			const [first] = variants
			const nearest = variants
				.filter(({ codec }) => codec === first?.codec)
				.toSorted((a, b) => distance(a) - distance(b))[0]
			if (first && nearest && distance(nearest) < 0.9 * distance(first))
				yield {
					where: first.where,
					message: `has ${formatKbps(first.bps)}, while another has ${formatKbps(nearest.bps)}`,
				}
		},
	},
	{
		rule: 12,
		section: '1.33',
		level: 'MUST',
		text: 'All variants have the same aspect ratio.',
		*find(p) {
			const sizes = listVariants(p).flatMap(({ listed, where }) => {
				const size = sizeOf(listed.attributes.get('RESOLUTION'))
				return size ? [{ ...size, where }] : []
			})
			const largest = sizes.toSorted((a, b) => b.width * b.height - a.width * a.height)[0]
			if (!largest) return
			const aspect = largest.width / largest.height
			for (const { width, height, where } of sizes) {
				// In a tiny frame, rounding by one row or column is a large share.
				const rounding = 1 / Math.min(width, height)
				const off = Math.abs(width / height / aspect - 1)
				if (off > Math.max(ASPECT_TOLERANCE, 1.5 * rounding))
					yield {
						where,
						message: `${width}x${height} is ${formatPercent(off)} off the ratio of the largest variant`,
					}
			}
		},
	},
]
