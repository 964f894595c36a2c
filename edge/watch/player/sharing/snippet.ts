import { html } from 'hono/html'
import type { Size } from '../../../platform/images/image-size.ts'
import { isAudioSize } from './sizes.ts'

/** What the page in the frame may use. */
const FRAME_FEATURES = 'autoplay; fullscreen; picture-in-picture; encrypted-media; web-share'

type Frame = {
	src: string
	title: string
	/** The true size of the video, whose aspect ratio the frame keeps, or the size for audio, whose height it keeps. */
	video: Size
	/** The size where a page ignores the style. */
	size: Size
	/** Whether the frame must not become wider than `size`. */
	isBounded?: boolean
}

/** Returns the HTML of an embedded player. The frame fills its column without cropping. */
export const renderIframeSnippet = ({ src, title, video, size, isBounded = false }: Frame): string =>
	html`<iframe src="${src}" title="${title}" width="${size.width}" height="${size.height}" style="${isAudioSize(video) ? '' : `aspect-ratio:${video.width}/${video.height};`}width:100%;${isBounded ? `max-width:${size.width}px;` : ''}height:${isAudioSize(video) ? `${size.height}px` : 'auto'};border:0" loading="lazy" allow="${FRAME_FEATURES}" allowfullscreen></iframe>`.toString()
