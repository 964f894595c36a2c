import type { Player } from '../player.ts'
import type { Moment } from './happenings.ts'
import { listMomentKinds, MEDIA_EVENTS } from './kinds-of-event.ts'

/**
 * Reports playback from the first play on. Loads the remaining code only then, after the first video requests, and
 * queues events until it is loaded.
 */
export function reportWhenStarted(player: Player): void {
	const { media } = player
	let hasStarted = false
	player.on('started', () => {
		if (hasStarted) return
		hasStarted = true
		const moments: Moment[] = []
		let handle = (moment: Moment): void => void moments.push(moment)
		const add = (kind: Moment['kind']) => handle({ kind, at: performance.now(), sec: player.currentTime() })
		add('play')
		for (const event of MEDIA_EVENTS)
			media.addEventListener(event, ({ isTrusted }) => {
				const { seeking, paused } = media
				const state = { seeking, paused, wantsToPlay: player.wantsToPlay() }
				for (const kind of listMomentKinds({ type: event, isTrusted }, state)) add(kind)
			})
		player.on('refused', () => add('pause'))
		player.on('problem', (problem) => {
			if (problem === 'failed') add('failed')
		})
		Promise.resolve()
			.then(() => import('./report-playback.ts'))
			.then(({ reportPlayback }) => {
				const report = reportPlayback(player)
				for (const moment of moments) report(moment)
				handle = report
			})
			.catch(() => {
				// The page may be older than the files of the player on the server.
				handle = () => undefined
			})
	})
}
