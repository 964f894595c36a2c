import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { renderPage, type Sources } from './baseline-page.ts'
import type { DownloadedName } from './downloaded-baselines.ts'

export type Contestant = 'playhouse' | 'hls.js' | 'video.js' | DownloadedName
export const installedContestants: readonly Contestant[] = ['playhouse', 'hls.js', 'video.js']

/** The button that a viewer clicks first. It may be in a shadow tree. */
export const playButtons: Record<Contestant, string> = {
	playhouse: '.start',
	'hls.js': '.play',
	'video.js': '.vjs-big-play-button',
	'mux-player': 'media-play-button',
	vidstack: 'media-play-button',
}

const packageFile = (name: string) => readFile(fileURLToPath(import.meta.resolve(name)))

/** The files of the baselines as their packages publish them, by path. */
export const readBaselineFiles = async (): Promise<Map<string, { type: string; body: Buffer }>> =>
	new Map([
		['/baselines/hls.min.js', { type: 'text/javascript', body: await packageFile('hls.js/dist/hls.min.js') }],
		[
			'/baselines/video.min.js',
			{ type: 'text/javascript', body: await packageFile('video.js/dist/video.min.js') },
		],
		[
			'/baselines/video-js.min.css',
			{ type: 'text/css', body: await packageFile('video.js/dist/video-js.min.css') },
		],
	])

/** The pages as the documentation of each player shows them, and with the poster preloaded as ours is. */
export const renderBaselinePages = ({ manifest, poster }: Sources): Map<string, string> =>
	new Map([
		[
			'/baselines/hls.js',
			renderPage(
				poster,
				`<style>
body { margin: 0; background: #000 }
.player { position: relative; width: 100vw; height: 100vh }
video { width: 100%; height: 100% }
.play { position: absolute; inset: 0; margin: auto; width: 4rem; height: 4rem }
</style>`,
				`<div class="player">
<video playsinline poster="${poster}" width="1280" height="720"></video>
<button class="play" type="button">Play</button>
</div>
<script src="/baselines/hls.min.js"></script>
<script>
const video = document.querySelector('video')
const button = document.querySelector('.play')
const hls = new Hls()
hls.loadSource('${manifest}')
hls.attachMedia(video)
button.addEventListener('click', () => {
	button.hidden = true
	video.play()
})
</script>`,
			),
		],
		[
			'/baselines/video.js',
			renderPage(
				poster,
				`<link rel="stylesheet" href="/baselines/video-js.min.css">
<style>
body { margin: 0; background: #000 }
.video-js { width: 100vw; height: 100vh }
</style>`,
				`<video id="video" class="video-js vjs-big-play-centered" controls playsinline poster="${poster}" data-setup="{}">
<source src="${manifest}" type="application/x-mpegURL">
</video>
<script src="/baselines/video.min.js"></script>`,
			),
		],
	])
