import type { Player } from '../player.ts'

/** Opens the share dialog of a video, which is loaded with the first click. A signed video in a frame has none. */
export function openShare(player: Player): void {
	const { share } = player.page
	if (!share) return
	opening ??= import('./share-dialog.ts').then(({ createShareDialog }) => createShareDialog(player, share))
	opening.then(
		({ open }) => open(),
		() => {
			opening = null
		},
	)
}

let opening: Promise<{ open(): void }> | null = null
