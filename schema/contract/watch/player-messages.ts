/** Every text that the player shows. `{name}` stands for a value. */
export type PlayerMessages = {
	player: string
	play: string
	pause: string
	replay: string
	seek: string
	/** {time} and {duration} are spoken lengths of time. */
	position: string
	volume: string
	mute: string
	unmute: string
	/** What the video does now. */
	playing: string
	paused: string
	muted: string
	tapToUnmute: string
	settings: string
	quality: string
	auto: string
	/** {quality} is the height that plays now, such as 720p. */
	autoNow: string
	speed: string
	normalSpeed: string
	captions: string
	captionStyle: string
	captionSize: string
	captionColor: string
	captionBackground: string
	captionEdge: string
	small: string
	medium: string
	large: string
	huge: string
	white: string
	yellow: string
	cyan: string
	solid: string
	translucent: string
	transparent: string
	none: string
	shadow: string
	outline: string
	audioTrack: string
	chapters: string
	loop: string
	statistics: string
	statBandwidth: string
	statBuffer: string
	statDropped: string
	statReport: string
	/** {time} is a clock such as 1:23. */
	copyLink: string
	share: string
	shareWithApp: string
	shareLink: string
	shareEmbed: string
	/** {time} is a clock such as 1:23, which viewers can change. */
	shareFrom: string
	startTime: string
	qrCode: string
	off: string
	back: string
	close: string
	pictureInPicture: string
	fullscreen: string
	leaveFullscreen: string
	theater: string
	leaveTheater: string
	airplay: string
	shortcuts: string
	shortcutPlay: string
	shortcutSeek: string
	shortcutSeekLong: string
	shortcutVolume: string
	shortcutMute: string
	shortcutFullscreen: string
	shortcutCaptions: string
	shortcutPictureInPicture: string
	shortcutJump: string
	shortcutEnds: string
	shortcutSpeed: string
	shortcutFrame: string
	shortcutHelp: string
	/** {time} is a clock such as 1:23. */
	resume: string
	speedIs: string
	volumeIs: string
	skippedForward: string
	skippedBack: string
	captionsOn: string
	captionsOff: string
	newQuality: string
	/** {count} is how many people watch the video now, at least 2. */
	watching: string
	offline: string
	reconnecting: string
	/** Shown while the player retries a missing segment. */
	missing: string
	skippedPart: string
	silentPart: string
	stalled: string
	decodeError: string
	retry: string
	unavailable: string
	unavailableHelp: string
	/** {seconds} is the wait. */
	nextAttempt: string
	expired: string
	expiredHelp: string
	failed: string
	failedHelp: string
	/** {id} is a short code to copy. */
	reportId: string
	copy: string
	copied: string
}
