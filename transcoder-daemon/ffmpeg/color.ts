import type { z } from 'zod'
import type { VideoInfo } from '#schema/contract/video/media-info.ts'
import type { Preparation } from '#schema/contract/video/tasks.ts'

/** Color tags of encoded video. */
export type ColorTags = { matrix: string; primaries: string; transfer: string }

const BT709: ColorTags = { matrix: 'bt709', primaries: 'bt709', transfer: 'bt709' }
const BT601: ColorTags = { matrix: 'smpte170m', primaries: 'smpte170m', transfer: 'smpte170m' }

const matrices = ['bt709', 'smpte170m', 'bt470bg', 'fcc', 'smpte240m']
const primaries = ['bt709', 'smpte170m', 'bt470bg', 'bt470m', 'smpte240m']
const transfers = ['bt709', 'smpte170m', 'bt470m', 'bt470bg', 'smpte240m', 'iec61966-2-1']

/** Untagged video below 720 lines counts as SD, as in players. */
const HD_LINES = 720

type Prepare = z.infer<typeof Preparation>

const isRgb = ({ pixelFormat, color }: VideoInfo) =>
	color.space === 'gbr' || /^(0?rgb|0?bgr|gbr|argb|abgr|pal8|x2)/.test(pixelFormat)
const isFullRange = ({ pixelFormat, color }: VideoInfo) =>
	color.range === 'pc' || pixelFormat.startsWith('yuvj')
const isWide = ({ color }: VideoInfo) =>
	color.primaries === 'bt2020' || color.space?.startsWith('bt2020') === true

/**
 * Returns the output's color tags. Colors that every player supports are kept, and missing tags are filled in; wider or
 * brighter video becomes bt709.
 */
export function chooseOutputTags(video: VideoInfo, prepare: Prepare): ColorTags {
	if (prepare.toneMap || isWide(video) || isRgb(video)) return BT709
	const { space, primaries: sourcePrimaries, transfer } = video.color
	const isSd = Math.min(video.codedWidth, video.codedHeight) < HD_LINES
	const fallback = space ? (space === 'bt709' ? BT709 : BT601) : isSd ? BT601 : BT709
	return {
		matrix: space && matrices.includes(space) ? space : fallback.matrix,
		primaries: sourcePrimaries && primaries.includes(sourcePrimaries) ? sourcePrimaries : fallback.primaries,
		transfer: transfer && transfers.includes(transfer) ? transfer : fallback.transfer,
	}
}

/** Images have no color tags: decoders assume BT.601, in full range for JPEG, in limited range for WebP. */
export const JPEG_COLORS = 'out_color_matrix=bt601:out_range=pc'
export const WEBP_COLORS = 'out_color_matrix=bt601:out_range=tv'

const setTags = ({ matrix, primaries, transfer }: ColorTags) =>
	`setparams=range=tv:color_primaries=${primaries}:color_trc=${transfer}:colorspace=${matrix}`

/** Whether pixels must be converted before scaling. */
export const needsColorWork = (video: VideoInfo, prepare: Prepare): boolean =>
	prepare.toneMap || isWide(video) || isRgb(video) || isFullRange(video) || video.pixelFormat !== 'yuv420p'

/** Returns filters to tagged 8-bit 4:2:0 of limited range. */
export function buildColorFilters(video: VideoInfo, prepare: Prepare): string[] {
	return [...conversion(video, prepare), setTags(chooseOutputTags(video, prepare))]
}

function conversion(video: VideoInfo, prepare: Prepare): string[] {
	if (prepare.toneMap || isWide(video)) return wideConversion(video, prepare.toneMap)
	if (isRgb(video)) return ['scale=out_color_matrix=bt709:out_range=tv', 'format=yuv420p']
	if (isFullRange(video)) return ['scale=out_range=tv', 'format=yuv420p']
	return video.pixelFormat === 'yuv420p' ? [] : ['format=yuv420p']
}

/** Ten times reference white, for which most such video is graded. Peaks claimed by files are often absurd. */
const PEAK = 10

function wideConversion({ color }: VideoInfo, toneMap: boolean): string[] {
	const range = color.range === 'pc' ? 'pc' : 'tv'
	const transfer = color.transfer ?? (toneMap ? 'smpte2084' : 'bt709')
	const space = color.space?.startsWith('bt2020') ? color.space : 'bt2020nc'
	const inputTags = `setparams=range=${range}:color_primaries=bt2020:color_trc=${transfer}:colorspace=${space}`
	const toneMapping = toneMap ? [`tonemap=tonemap=hable:desat=0:peak=${PEAK}`] : []
	return [
		...[inputTags, 'zscale=t=linear:npl=100', 'format=gbrpf32le', 'zscale=p=bt709', ...toneMapping],
		...['zscale=t=bt709:m=bt709:r=tv', 'format=yuv420p'],
	]
}
