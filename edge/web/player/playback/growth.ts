import type { Player } from '../player.ts'

const POLL_MS = 15_000
/** An hour. After that, the viewer has to reload the page to get new renditions. */
const MAX_POLLS = 240

const variantsIn = (master: string): number => master.split('#EXT-X-STREAM-INF:').length

/**
 * Polls for new renditions while they are being made. Switches when it does not interrupt: before the first play,
 * while paused, or after a seek.
 */
export function reloadGrownPlaylists(player: Player): void {
	const { video, media } = player
	if (video.isWhole) return
	const address = () => player.engine()?.manifestUrl() ?? video.manifestPath
	const embedded = video.files[video.manifestPath]
	let known = embedded && 'text' in embedded ? variantsIn(embedded.text) : 0
	let hasNew = false
	let polls = 0

	const take = () => {
		const engine = player.engine()
		if (!hasNew || !engine || (!media.paused && !media.seeking)) return
		hasNew = false
		engine.refresh()
	}
	const timer = window.setInterval(async () => {
		if (++polls >= MAX_POLLS) window.clearInterval(timer)
		if (document.hidden) return
		const response = await fetch(address(), { cache: 'no-cache' }).catch(() => null)
		if (!response?.ok) return
		const count = variantsIn(await response.text())
		if (count <= known) return
		known = count
		hasNew = true
		player.announce(player.page.messages.newQuality)
		take()
	}, POLL_MS)
	player.on('tracks', take)
	for (const event of ['pause', 'seeking', 'ended']) media.addEventListener(event, take)
}
