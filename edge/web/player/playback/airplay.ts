import Hls from 'hls.js'
import type { Loading } from './loading.ts'

type AppleVideo = HTMLVideoElement & { webkitCurrentPlaybackTargetIsWireless?: boolean }

/**
 * Lets Safari send the video to another device, which plays the playlist itself. Media sources can't be sent, so the
 * playlist becomes a second source; while the other device plays, nothing is loaded here.
 */
export function offerAirPlay(hls: Hls, media: AppleVideo, manifestUrl: () => string, loading: Loading): void {
	if (!('ManagedMediaSource' in window) || !('webkitCurrentPlaybackTargetIsWireless' in media)) return
	hls.on(Hls.Events.MEDIA_ATTACHED, () => {
		for (const former of media.querySelectorAll('.airplay-source')) former.remove()
		const source = document.createElement('source')
		source.className = 'airplay-source'
		source.type = 'application/vnd.apple.mpegurl'
		source.src = manifestUrl()
		media.append(source)
		// hls.js turns it off for media sources without a second source.
		media.disableRemotePlayback = false
	})
	media.addEventListener('webkitcurrentplaybacktargetiswirelesschanged', () => {
		if (media.webkitCurrentPlaybackTargetIsWireless) loading.stop()
		else loading.restart()
	})
}
