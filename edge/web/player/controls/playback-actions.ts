import { fillPlaceholders } from '../../parts/fill.ts'
import { icons } from '../icons.ts'
import type { Player } from '../player.ts'

/** Plays or pauses, and shows which. */
export function togglePlaying(player: Player): void {
	const { messages } = player.page
	player.toggle()
	if (player.wantsToPlay()) player.announce(messages.playing, icons.play)
	else player.announce(messages.paused, icons.pause)
}

/** Skips forward, or back if negative, and shows which. */
export function skip(player: Player, sec: number): void {
	const { messages } = player.page
	player.seek(player.currentTime() + sec)
	player.announce(
		fillPlaceholders(sec > 0 ? messages.skippedForward : messages.skippedBack, { seconds: Math.abs(sec) }),
		sec > 0 ? icons.forward : icons.back,
	)
}
