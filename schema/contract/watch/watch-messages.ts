/** The texts of the watch page, besides those of the player. `{name}` stands for a value. */
export type WatchMessages = {
	showMore: string
	showLess: string
	/** The accessible name of the tabs for chapters, transcript and comments. */
	panels: string
	closeMiniPlayer: string
	moreVideos: string
	download: string
	downloadFailed: string
	reactions: string
	/** {emoji} is the reaction, {count} how many people chose it. */
	reaction: string
	reactionFailed: string
	transcript: string
	searchTranscript: string
	/** {count} is how many parts of the transcript contain what was searched for. */
	matches: string
	noMatches: string
	highlights: string
	comments: string
	noComments: string
	moreComments: string
	commentName: string
	commentText: string
	/** {time} is a clock such as 1:23. */
	commentAt: string
	postComment: string
	commentPosted: string
	commentFailed: string
	tooMany: string
	/** {time} is a clock such as 1:23. */
	playFrom: string
	loadFailed: string
	tryAgain: string
}
