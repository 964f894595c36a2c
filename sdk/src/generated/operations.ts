// Generated from schema/contract by npm run sdk; don't edit.
import type { ServerSentEvent } from '../event-stream.ts'
import type { Call, CallOptions, FileBody, Operation } from '../operation.ts'

export type AccessGroup = {
	id: number
	name: string
	/** An archived group gives no access */
	status: "active" | "archived" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
}
export type AccessGroupMember = {
	/** The membership id, as used in `/community_members/{memberId}` */
	memberId: number
	name: string
	expiresAt: string | null
	/** ISO 8601, UTC, milliseconds */
	addedAt: string
}
export type AccessGroupOfMember = {
	id: number
	name: string
	status: "active" | "archived" | (string & {})
	expiresAt: string | null
	/** ISO 8601, UTC, milliseconds */
	addedAt: string
}
export type AccessGroupSpace = {
	spaceId: number
	name: string
}
export type AddedGroupMember = {
	/** The membership id, as used in `/community_members/{memberId}` */
	memberId: number
	added: boolean
}
export type AdminOrg = {
	id: string
	name: string
	slug: string
	/** The tier whose limits apply */
	tier: "free" | "pro" | "business" | "self-hosted" | (string & {})
	tierOverride: TierOverride | null
	/** `suspended` if a reason other than `billing` applies */
	state: "active" | "suspended" | (string & {})
	suspensionReasons: ("abuse" | "billing" | "operator" | (string & {}))[]
	encodeMinutesThisMonth: number
	members: number
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
}
export type AdminOrgDetail = {
	id: string
	name: string
	slug: string
	/** The tier whose limits apply */
	tier: "free" | "pro" | "business" | "self-hosted" | (string & {})
	tierOverride: TierOverride | null
	/** `suspended` if a reason other than `billing` applies */
	state: "active" | "suspended" | (string & {})
	suspensionReasons: ("abuse" | "billing" | "operator" | (string & {}))[]
	encodeMinutesThisMonth: number
	members: number
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** The first 50 */
	owners: {
		userId: number
		email: string
		name: string
	}[]
	usage: OrgUsage
}
export type AdminUser = {
	id: number
	/** null for a managed member of a community */
	email: string | null
	name: string
	emailVerified: boolean
	superadmin: boolean
	lockedAt: string | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
}
export type AdminUserDetail = {
	id: number
	/** null for a managed member of a community */
	email: string | null
	name: string
	emailVerified: boolean
	superadmin: boolean
	lockedAt: string | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	sessions: number
	/** Of the sessions that have not ended */
	lastSeenAt: string | null
	/** The first 200 */
	orgs: {
		id: string
		name: string
		slug: string
		role: "owner" | "admin" | "member" | (string & {})
	}[]
}
/** What is known about a key, which is never returned */
export type AiKey = {
	hasKey: boolean
	lastFour: string | null
	updatedAt: string | null
	/** Whether the key can no longer be decrypted, because the secret of the installation changed */
	mustBeEnteredAgain: boolean
}
/** The providers that an organization uses for AI */
export type AiSettings = {
	transcription: {
		provider: "openai-compatible" | "deepgram" | "assemblyai" | "workers-ai" | (string & {})
		baseUrl: string | null
		/** null for the default of the provider */
		model: string | null
		/** The language of videos that name none; null to detect it */
		language: string | null
		/** The price of a minute of audio in millionths of a dollar. If null, only seconds are counted. */
		pricePerMinuteMicros: number | null
		key: AiKey
	} | null
	languageModel: {
		provider: "openai-compatible" | "anthropic" | "workers-ai" | (string & {})
		baseUrl: string | null
		model: string | null
		/** The price of a million tokens that the model reads, in millionths of a dollar */
		inputPriceMicros: number | null
		/** The price of a million tokens that the model writes, in millionths of a dollar. If one of the prices is null, only tokens are counted. */
		outputPriceMicros: number | null
		key: AiKey
	} | null
	/** What the installation offers, at its own expense */
	installation: {
		/** The provider of organizations that chose none; null if there is none */
		transcription: {
			provider: "openai-compatible" | "deepgram" | "assemblyai" | "workers-ai" | (string & {})
			model: string | null
		} | null
	}
	limits: {
		audioSecPerMonth: number | null
		costMicrosPerMonth: number | null
		tokensPerMonth: number | null
	}
	usedThisMonth: {
		audioSec: number
		costMicros: number
		/** What language models read and wrote */
		tokens: number
	}
}
/** Calls of providers for AI in the last 24 hours */
export type AiStats = {
	providers: {
		provider: string
		purpose: "transcription" | "language-model" | (string & {})
		calls24h: number
		/** Calls whose result is not known yet */
		open: number
		failures24h: number
		audioSec24h: number
		tokens24h: number
		/** Millionths of a dollar; calls without a known price count as 0 */
		costMicros24h: number
		latencyMs: {
			p50: number | null
			p95: number | null
		}
		/** How long the oldest chunk of a video waits for a call; null if none does */
		queueAgeSec: number | null
	}[]
	oldestOpenAgeSec: number | null
}
export type AiTest = {
	ok: boolean
	latencyMs: number
	/** What the provider understood, or what the model wrote */
	text: string | null
	language: string | null
	supports: {
		segments: boolean
		words: boolean
		/** Whether the language model answers each numbered text in the requested form */
		numbers: boolean
		/** Whether the language model reports tokens; otherwise they are estimated */
		usage: boolean
	}
	/** What is wrong with the provider; null if it works */
	problem: string | null
}
/** The web pages that may call the API for an organization */
export type AllowedOrigins = {
	/** In the order in which they were added */
	origins: string[]
}
export type AnalyticsOverview = {
	/** ISO 8601, UTC, milliseconds */
	from: string
	/** ISO 8601, UTC, milliseconds */
	to: string
	granularity: "hour" | "day" | (string & {})
	/** When this was computed */
	at: string
	totals: AnalyticsTotals
	series: {
		/** ISO 8601, UTC, milliseconds */
		at: string
		starts: number
		views: number
		watchedMs: number
		uniques: number
	}[]
	devices: {
		key: string
		views: number
		watchedMs: number
	}[]
	browsers: {
		key: string
		views: number
		watchedMs: number
	}[]
	countries: {
		key: string
		views: number
		watchedMs: number
	}[]
	referrers: {
		key: string
		views: number
		watchedMs: number
	}[]
	players: {
		key: string
		views: number
		watchedMs: number
	}[]
	/** For each hour of the day in UTC (0 to 23), the sessions that began in it */
	hoursOfDay: {
		hour: number
		views: number
		watchedMs: number
	}[]
	/** How long each quality was shown */
	renditions: {
		key: string
		ms: number
	}[]
	/** How much video was loaded in each quality */
	delivered: {
		key: string
		ms: number
	}[]
	errors: {
		key: string
		count: number
	}[]
	quality: {
		/** Time from the request to play until the first frame, accurate to 2 % */
		startupMs: {
			p50: number | null
			p75: number | null
			p95: number | null
		}
		/** The share of attempts that the viewer gave up after waiting a second or more for the first frame */
		exitsBeforeStart: number | null
		/** The share of attempts that ended with an error */
		failures: number | null
		/** From 0 to 1; null if there is nothing to divide by */
		startupFailures: number | null
		/** The stalled share of the watch time */
		stalled: number | null
		stallsPerMinute: number | null
		/** Average duration of a seek */
		seekMs: number | null
		bitrateKbps: number | null
		/** Average enlargement of the picture; 1 is twice its size */
		upscale: number | null
		switchesUp: number
		switchesDown: number
		droppedFrames: number
		/** The version of the formulas of the scores (docs/watch/analytics.md) */
		scoreModel: number
		/** From 0 to 100, averages over sessions */
		scores: {
			success: number | null
			startup: number | null
			smoothness: number | null
			quality: number | null
			overall: number | null
		}
	}
	/** The period of the same length before, and the changes since then */
	before: {
		/** ISO 8601, UTC, milliseconds */
		from: string
		/** ISO 8601, UTC, milliseconds */
		to: string
		totals: AnalyticsTotals
		changes: {
			/** The relative change: 0.5 is an increase by half; null if the total before is 0 */
			starts: number | null
			/** The relative change: 0.5 is an increase by half; null if the total before is 0 */
			views: number | null
			/** The relative change: 0.5 is an increase by half; null if the total before is 0 */
			watchedMs: number | null
			/** The relative change: 0.5 is an increase by half; null if the total before is 0 */
			dailyUniques: number | null
		}
	}
	/** The 20 videos with the most views */
	topVideos: {
		assetId: string
		playbackId: string
		title: string
		starts: number
		views: number
		watchedMs: number
	}[]
}
/** What is measured about viewers */
export type AnalyticsSettings = {
	/** What is stored about playback sessions. `anonymous`: no country, no referrer, no browser, and visitors are not told apart. `nothing`: reports of players are dropped. */
	collect: "full" | "anonymous" | "nothing" | (string & {})
	/** The same for viewers whose browser sends `DNT: 1` or `Sec-GPC: 1`, unless `collect` stores less */
	onDoNotTrack: "full" | "anonymous" | "nothing" | (string & {})
	/** Whether players show how many people watch */
	showLiveCount: boolean
}
export type AnalyticsTotals = {
	/** Sessions that tried to play */
	attempts: number
	/** Sessions that showed a frame */
	starts: number
	/** Starts that played 3 seconds, or half of a video that is shorter than 6 seconds */
	views: number
	/** Views that played 30 seconds or half of the video */
	engaged: number
	/** Views that covered 95 % of the video */
	completed: number
	/** Sessions of organization members. Excluded from all other totals here; delivery minutes include them */
	members: number
	/** Sessions of programs. Excluded from all other totals here; delivery minutes include them */
	bots: number
	/** Sessions after the first 300 of one network (an IPv4 address or an IPv6 /64) in an hour of a video. Excluded from all other totals and from the live count, since anybody can make them up */
	crowded: number
	/** Watch time, stalls included */
	watchedMs: number
	/** Video played, repetitions included */
	playedMs: number
	/** The sum of the visitors of each day. A visitor can't be recognized on another day. Above about 800 visitors a day this is an estimate, accurate to about 3 % */
	dailyUniques: number
	/** The average share of the video that a view covered. Excludes views in players that report no position */
	averageShareWatched: number | null
}
export type ApiKey = {
	id: string
	name: string
	/** The first characters of the key, to recognize it by */
	prefix: string
	lastFour: string
	scopes: ("read" | "write" | "admin" | "headless:auth" | "members:write" | (string & {}))[]
	/** The user who created the key; null if that user was deleted, and the key no longer works */
	createdBy: {
		id: number
		name: string
	} | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	expiresAt: string | null
	/** Accurate to five minutes */
	lastUsedAt: string | null
}
export type Asset = {
	id: string
	title: string
	description: string | null
	status: "created" | "uploaded" | "queued" | "processing" | "ready" | "error" | (string & {})
	playbackId: string
	collectionId: string | null
	/** 0 until the source was inspected */
	durationSec: number
	/** The displayed width of the largest rendition; null before processing, and for audio without video */
	width: number | null
	height: number | null
	/** The size of the stored source; null until there is one */
	sourceSizeBytes: number | null
	/** Always the URL of an image: the custom thumbnail, else a frame of the video, else a fallback image. The URL changes with the image. */
	thumbnailUrl: string
	hasCustomThumbnail: boolean
	/** The last frame that was requested as the custom thumbnail; null if there was none, or an upload or a removal of the thumbnail followed */
	thumbnailFrame: ThumbnailFrame | null
	/** A ThumbHash of a frame of the video, in Base64: a blurred image to show until the thumbnail has loaded */
	placeholder: string | null
	/** The page of the video. It plays once the asset is ready; a signed asset also needs `?token=` */
	watchUrl: string
	/** The player alone, for an `iframe` */
	embedUrl: string
	/** Present while `status` is `error` */
	errorMessage?: string
	/** `public` and `unlisted` assets play for everyone with the playback id; only `public` ones may appear in lists. `signed` assets play only with a playback token */
	visibility: "public" | "unlisted" | "signed" | (string & {})
	metadata: Record<string, string>
	publicSettings: PublicSettings
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	updatedAt: string
	renditions: Rendition[]
	/** The current step of the job: `fetching` (for an imported source), `inspecting`, `encoding`, `packaging`, `stills` or `finishing`; null if no job is running */
	currentStep: string | null
	/** The latest job; null if the asset was never processed */
	job: AssetJob | null
	/** null until the asset was ready for the first time */
	aiJob: AssetAiJob | null
	/** In the order of the video */
	highlights: Highlight[]
	audioConfig: AudioConfig
}
export type AssetAiJob = {
	status: "pending" | "processing" | "completed" | "failed" | "skipped" | (string & {})
	transcriptionStatus: "pending" | "processing" | "completed" | "failed" | "skipped" | (string & {})
	subtitlesStatus: "pending" | "processing" | "completed" | "failed" | "skipped" | (string & {})
	chaptersStatus: "pending" | "processing" | "completed" | "failed" | "skipped" | (string & {})
	highlightsStatus: "pending" | "processing" | "completed" | "failed" | "skipped" | (string & {})
	/** Why steps failed or were skipped */
	reasons: Partial<Record<"transcription" | "subtitles" | "chapters" | "highlights" | (string & {}), string>>
}
export type AssetAnalytics = {
	/** ISO 8601, UTC, milliseconds */
	from: string
	/** ISO 8601, UTC, milliseconds */
	to: string
	granularity: "hour" | "day" | (string & {})
	/** When this was computed */
	at: string
	totals: AnalyticsTotals
	/** At most 1,000 buckets; null if the duration of the video is not known */
	retention: {
		bucketMs: number
		/** For each bucket of the video, the share of the starts that played it. Excludes starts in players that report no position */
		shares: number[]
		/** For each bucket of the video, how often it was played, repetitions included */
		plays: number[]
	} | null
	series: {
		/** ISO 8601, UTC, milliseconds */
		at: string
		starts: number
		views: number
		watchedMs: number
		uniques: number
	}[]
	devices: {
		key: string
		views: number
		watchedMs: number
	}[]
	browsers: {
		key: string
		views: number
		watchedMs: number
	}[]
	countries: {
		key: string
		views: number
		watchedMs: number
	}[]
	referrers: {
		key: string
		views: number
		watchedMs: number
	}[]
	players: {
		key: string
		views: number
		watchedMs: number
	}[]
	/** For each hour of the day in UTC (0 to 23), the sessions that began in it */
	hoursOfDay: {
		hour: number
		views: number
		watchedMs: number
	}[]
	/** How long each quality was shown */
	renditions: {
		key: string
		ms: number
	}[]
	/** How much video was loaded in each quality */
	delivered: {
		key: string
		ms: number
	}[]
	errors: {
		key: string
		count: number
	}[]
	quality: {
		/** Time from the request to play until the first frame, accurate to 2 % */
		startupMs: {
			p50: number | null
			p75: number | null
			p95: number | null
		}
		/** The share of attempts that the viewer gave up after waiting a second or more for the first frame */
		exitsBeforeStart: number | null
		/** The share of attempts that ended with an error */
		failures: number | null
		/** From 0 to 1; null if there is nothing to divide by */
		startupFailures: number | null
		/** The stalled share of the watch time */
		stalled: number | null
		stallsPerMinute: number | null
		/** Average duration of a seek */
		seekMs: number | null
		bitrateKbps: number | null
		/** Average enlargement of the picture; 1 is twice its size */
		upscale: number | null
		switchesUp: number
		switchesDown: number
		droppedFrames: number
		/** The version of the formulas of the scores (docs/watch/analytics.md) */
		scoreModel: number
		/** From 0 to 100, averages over sessions */
		scores: {
			success: number | null
			startup: number | null
			smoothness: number | null
			quality: number | null
			overall: number | null
		}
	}
}
export type AssetCounts = {
	created: {
		count: number
		/** The count stopped; more assets may match */
		hasMore: boolean
	}
	uploaded: {
		count: number
		/** The count stopped; more assets may match */
		hasMore: boolean
	}
	queued: {
		count: number
		/** The count stopped; more assets may match */
		hasMore: boolean
	}
	processing: {
		count: number
		/** The count stopped; more assets may match */
		hasMore: boolean
	}
	ready: {
		count: number
		/** The count stopped; more assets may match */
		hasMore: boolean
	}
	error: {
		count: number
		/** The count stopped; more assets may match */
		hasMore: boolean
	}
}
export type AssetErrorGroup = {
	fingerprint: string
	/** The message, with names in place of what differs */
	message: string
	/** Assets that have such an error now, at most 1000 */
	assets: number
	/** How often processing has failed like this */
	occurrences: number
	/** ISO 8601, UTC, milliseconds */
	firstSeenAt: string
	/** ISO 8601, UTC, milliseconds */
	lastSeenAt: string
}
/** An asset must pass all fields. They mean what they mean in the list of assets */
export type AssetFilter = {
	q?: string
	status?: ("created" | "uploaded" | "queued" | "processing" | "ready" | "error" | (string & {}))[]
	visibility?: ("public" | "unlisted" | "signed" | (string & {}))[]
	collectionId?: string | "none"
	hasCaptions?: boolean
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	createdAfter?: string
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	createdBefore?: string
}
/** An asset must pass all fields. They mean what they mean in the list of assets */
export type AssetFilterInput = {
	q?: string | undefined
	status?: ("created" | "uploaded" | "queued" | "processing" | "ready" | "error")[] | undefined
	visibility?: ("public" | "unlisted" | "signed")[] | undefined
	collectionId?: string | "none" | undefined
	hasCaptions?: boolean | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	createdAfter?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	createdBefore?: string | undefined
}
export type AssetJob = {
	id: string
	status: "queued" | "processing" | "completed" | "failed" | "cancelled" | (string & {})
	/** The kind of the machine that last worked on the job; `none` before that */
	workerKind: string
	hwAccelUsed: boolean
	progress: number
	estimatedSecondsLeft: number | null
	errorMessage: string | null
	/** Codecs besides H.264 that were requested but not encoded */
	leftOut: {
		codec: string
		reason: string
	}[]
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	startedAt: string | null
	endedAt: string | null
}
export type AssetPlayback = {
	assetId: string
	playbackId: string
	/** An absolute URL */
	manifestUrl: string
	/** An absolute URL */
	thumbnailUrl: string
}
export type AssetSearch = {
	items: {
		id: string
		title: string
		description: string | null
		status: "created" | "uploaded" | "queued" | "processing" | "ready" | "error" | (string & {})
		playbackId: string
		collectionId: string | null
		/** 0 until the source was inspected */
		durationSec: number
		/** The displayed width of the largest rendition; null before processing, and for audio without video */
		width: number | null
		height: number | null
		/** The size of the stored source; null until there is one */
		sourceSizeBytes: number | null
		/** The URL of the image, as in `Asset`; null in the trash, where nothing is served */
		thumbnailUrl: string | null
		hasCustomThumbnail: boolean
		/** The last frame that was requested as the custom thumbnail; null if there was none, or an upload or a removal of the thumbnail followed */
		thumbnailFrame: ThumbnailFrame | null
		/** A ThumbHash of a frame of the video, in Base64: a blurred image to show until the thumbnail has loaded */
		placeholder: string | null
		/** The page of the video; null in the trash */
		watchUrl: string | null
		/** The player alone, for an `iframe`; null in the trash */
		embedUrl: string | null
		/** Present while `status` is `error` */
		errorMessage?: string
		/** `public` and `unlisted` assets play for everyone with the playback id; only `public` ones may appear in lists. `signed` assets play only with a playback token */
		visibility: "public" | "unlisted" | "signed" | (string & {})
		metadata: Record<string, string>
		publicSettings: PublicSettings
		/** ISO 8601, UTC, milliseconds */
		createdAt: string
		/** ISO 8601, UTC, milliseconds */
		updatedAt: string
		/** Like `thumbnailUrl`, for an image that is at most 320 pixels wide where the installation can make it */
		thumbnailSmallUrl: string | null
		/** Percent of the running job; null if no job is running */
		progress: number | null
		/** The language tags of the subtitles; `und` if unknown */
		captions: string[]
		/** The views of all time. A session counts some minutes after its end. null if analytics are not set up */
		views: number | null
		/** When the asset was moved to the trash; present only in the trash */
		trashedAt?: string
		/** When an asset in the trash is deleted permanently; present only in the trash */
		deleteAt?: string
		/** Up to five moments in which `q` is said: where its words follow each other, or else the segments of the transcript that have the most of them. Only the ten newest transcripts of a page are searched for moments. */
		matches: {
			/** Seconds from the beginning of the video */
			startSec: number
			text: string
		}[]
	}[]
	total: number
	limit: number
	offset: number
}
export type AssetSummary = {
	id: string
	title: string
	description: string | null
	status: "created" | "uploaded" | "queued" | "processing" | "ready" | "error" | (string & {})
	playbackId: string
	collectionId: string | null
	/** 0 until the source was inspected */
	durationSec: number
	/** The displayed width of the largest rendition; null before processing, and for audio without video */
	width: number | null
	height: number | null
	/** The size of the stored source; null until there is one */
	sourceSizeBytes: number | null
	/** The URL of the image, as in `Asset`; null in the trash, where nothing is served */
	thumbnailUrl: string | null
	hasCustomThumbnail: boolean
	/** The last frame that was requested as the custom thumbnail; null if there was none, or an upload or a removal of the thumbnail followed */
	thumbnailFrame: ThumbnailFrame | null
	/** A ThumbHash of a frame of the video, in Base64: a blurred image to show until the thumbnail has loaded */
	placeholder: string | null
	/** The page of the video; null in the trash */
	watchUrl: string | null
	/** The player alone, for an `iframe`; null in the trash */
	embedUrl: string | null
	/** Present while `status` is `error` */
	errorMessage?: string
	/** `public` and `unlisted` assets play for everyone with the playback id; only `public` ones may appear in lists. `signed` assets play only with a playback token */
	visibility: "public" | "unlisted" | "signed" | (string & {})
	metadata: Record<string, string>
	publicSettings: PublicSettings
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	updatedAt: string
	/** Like `thumbnailUrl`, for an image that is at most 320 pixels wide where the installation can make it */
	thumbnailSmallUrl: string | null
	/** Percent of the running job; null if no job is running */
	progress: number | null
	/** The language tags of the subtitles; `und` if unknown */
	captions: string[]
	/** The views of all time. A session counts some minutes after its end. null if analytics are not set up */
	views: number | null
	/** When the asset was moved to the trash; present only in the trash */
	trashedAt?: string
	/** When an asset in the trash is deleted permanently; present only in the trash */
	deleteAt?: string
}
export type AssetTimeline = {
	assetId: string
	status: "created" | "uploaded" | "queued" | "processing" | "ready" | "error" | (string & {})
	/** Where the time went, in a sentence or two */
	summary: string
	/** The W3C trace of each processing, which the logs name as well */
	traces: {
		jobId: string
		traceId: string | null
	}[]
	spans: Span[]
	/** false if there are more tasks than those shown, which took the longest */
	isComplete: boolean
}
export type AssetWithError = {
	id: string
	orgId: string
	title: string
	errorMessage: string
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
}
export type Attendee = {
	id: number
	/** The membership id, as used in `/community_members/{memberId}` */
	community_member_id: number
	avatar_url: string | null
	/** ISO 8601, UTC, milliseconds */
	rsvp_date: string
	rsvp_status: "going" | "waitlisted" | (string & {})
	name: string
}
/** The audio that the next processing creates from the source */
export type AudioConfig = {
	playback: {
		codec: "aac" | "opus" | (string & {})
		bitrateKbps: number
		/** In Hz; Opus supports only 8000, 12000, 16000, 24000 and 48000 */
		sampleRate: 8000 | 12000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000
		channels: number
		/** Whether to normalize the loudness */
		normalize: boolean
	}
	ai: {
		codec: "aac" | "opus" | (string & {})
		bitrateKbps: number
		/** In Hz; Opus supports only 8000, 12000, 16000, 24000 and 48000 */
		sampleRate: 8000 | 12000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000
		channels: number
	}
}
export type AuditAction = "org.suspended" | "member.invitation_revoked" | "member.role_changed" | "member.removed" | "api_key.deleted" | "webhook.updated" | "webhook.deleted" | "webhook.secret_rotated" | "playback_tokens.revoked" | "community_member.invitation_revoked" | "community_member.left" | "community_member.updated" | "community_member.removed" | "community_member.banned" | "invitation_link.revoked" | "identity_provider.updated" | "identity_provider.deleted" | "access_group.deleted" | "access_group.member_removed" | "access_group.space_removed" | "superadmin.revoked" | "user.locked" | "machine.evicted" | "support_access.changed" | "org.created" | "org.updated" | "org.unsuspended" | "member.invited" | "member.joined" | "device.approved" | "api_key.created" | "webhook.created" | "webhook.disabled" | "webhook.recovered" | "settings.updated" | "ai_settings.updated" | "billing.checkout_started" | "billing.portal_opened" | "billing.tier_changed" | "community.created" | "community.updated" | "community.deleted" | "community_member.invited" | "community_member.joined" | "community_member.vouched" | "community_member.merged" | "community_member.unbanned" | "community_member.tokens_revoked" | "invitation_link.created" | "identity_provider.created" | "access_group.created" | "access_group.updated" | "access_group.member_added" | "access_group.space_added" | "space.created" | "space.updated" | "space.deleted" | "profile_field.created" | "profile_field.updated" | "profile_field.deleted" | "superadmin.granted" | "user.unlocked" | "user.sessions_ended" | "user.second_factor_reset" | "org.tier_overridden" | "org.tier_override_ended" | "assets.bulk_changed" | "asset_errors.retried" | "dead_letter.retried" | "dead_letter.discarded" | "machine.registered" | "machine.price_changed" | "machine.paused" | "machine.resumed" | "machine.readmitted" | "machine.signed_off" | "impersonation.started" | "impersonation.request" | "impersonation.ended" | "account_deletion.expedited" | "erasures.replayed" | "secrets.resealed" | "database.repaired" | "backup.started" | "backup.drill_started" | "backup.downloaded" | "backup.deleted" | (string & {})
export type AuditActionInput = "org.suspended" | "member.invitation_revoked" | "member.role_changed" | "member.removed" | "api_key.deleted" | "webhook.updated" | "webhook.deleted" | "webhook.secret_rotated" | "playback_tokens.revoked" | "community_member.invitation_revoked" | "community_member.left" | "community_member.updated" | "community_member.removed" | "community_member.banned" | "invitation_link.revoked" | "identity_provider.updated" | "identity_provider.deleted" | "access_group.deleted" | "access_group.member_removed" | "access_group.space_removed" | "superadmin.revoked" | "user.locked" | "machine.evicted" | "support_access.changed" | "org.created" | "org.updated" | "org.unsuspended" | "member.invited" | "member.joined" | "device.approved" | "api_key.created" | "webhook.created" | "webhook.disabled" | "webhook.recovered" | "settings.updated" | "ai_settings.updated" | "billing.checkout_started" | "billing.portal_opened" | "billing.tier_changed" | "community.created" | "community.updated" | "community.deleted" | "community_member.invited" | "community_member.joined" | "community_member.vouched" | "community_member.merged" | "community_member.unbanned" | "community_member.tokens_revoked" | "invitation_link.created" | "identity_provider.created" | "access_group.created" | "access_group.updated" | "access_group.member_added" | "access_group.space_added" | "space.created" | "space.updated" | "space.deleted" | "profile_field.created" | "profile_field.updated" | "profile_field.deleted" | "superadmin.granted" | "user.unlocked" | "user.sessions_ended" | "user.second_factor_reset" | "org.tier_overridden" | "org.tier_override_ended" | "assets.bulk_changed" | "asset_errors.retried" | "dead_letter.retried" | "dead_letter.discarded" | "machine.registered" | "machine.price_changed" | "machine.paused" | "machine.resumed" | "machine.readmitted" | "machine.signed_off" | "impersonation.started" | "impersonation.request" | "impersonation.ended" | "account_deletion.expedited" | "erasures.replayed" | "secrets.resealed" | "database.repaired" | "backup.started" | "backup.drill_started" | "backup.downloaded" | "backup.deleted"
export type AuditChainErasures = {
	/** When the last run of an account deletion began, by the vault, in milliseconds since 1970; null before the first one */
	until: number | null
	/** Positions of rows without a person, although their API key belongs to a person who still has an account */
	presentActors: number[]
}
export type AuditChainHead = {
	position: number
	hash: string
	/** When the vault received it, in milliseconds since 1970 */
	storedAt: number
}
export type AuditChainPage = {
	/** When these rows were read */
	readAt: string
	rows: AuditChainRow[]
	heads: AuditChainHead[]
	/** First position among these rows, or after the last row, that has a seal but no row */
	sealWithoutRow: number | null
	/** Missing in older installations */
	erasureRecord?: AuditChainErasures
	/** Send it as `after`; null after the last row */
	next: number | null
}
export type AuditChainRow = {
	position: number
	id: string
	orgId: string | null
	action: string
	actorKind: string
	actorId: string | null
	targetKind: string | null
	targetId: string | null
	requestId: string | null
	/** JSON, as it is stored */
	details: string
	/** Milliseconds since 1970 */
	createdAt: number
	actor: {
		userId: number | null
		email: string | null
		ipAddress: string | null
		salt: string | null
	}
	onBehalfOf: {
		userId: number | null
		email: string | null
		ipAddress: string | null
		salt: string | null
	}
	target: {
		userId: number | null
		email: string | null
		ipAddress: string | null
		salt: string | null
	}
	/** Null until the row is sealed, which takes about a minute */
	seal: {
		actorDigest: string | null
		onBehalfOfDigest: string | null
		targetDigest: string | null
		hash: string
	} | null
}
export type AuditEntry = {
	id: string
	/** Null for the installation itself */
	orgId: string | null
	action: AuditAction
	actor: {
		kind: "user" | "api_key" | "machine" | "registration" | "system" | (string & {})
		/** Of an API key or a machine */
		id: string | null
		/** The person, or the one who created the API key; null if their account was deleted */
		userId: number | null
		/** Their address at the time; null if their account was deleted */
		email: string | null
	}
	/** The person for whom the actor acted */
	onBehalfOf: {
		/** The person, or the one who created the API key; null if their account was deleted */
		userId: number | null
		/** Their address at the time; null if their account was deleted */
		email: string | null
	} | null
	target: {
		kind: "org" | "user" | "invitation" | "api_key" | "webhook" | "asset" | "community" | "community_member" | "community_invitation" | "invitation_link" | "identity_provider" | "access_group" | "space" | "profile_field" | "machine" | "deletion_request" | "asset_errors" | "dead_letter" | "impersonation" | "device_request" | "backup" | (string & {})
		id: string | null
		/** The person, or the one who created the API key; null if their account was deleted */
		userId: number | null
		/** Their address at the time; null if their account was deleted */
		email: string | null
	} | null
	requestId: string | null
	/** IP address of the request */
	ipAddress: string | null
	/** Such as the role, the scopes, or in `changed` the names of fields. Never the text of a field */
	details: Record<string, unknown>
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
}
export type Author = {
	/** The user id, which is the same in every community; no path of this API takes it */
	id: number
	/** The membership id, as used in `/community_members/{memberId}`; null if the author is no longer a member. Inactive and banned members have an id but no public profile. */
	community_member_id: number | null
	name: string
	avatar_url: string | null
	/** null unless the author is an active member */
	role: "owner" | "admin" | "moderator" | "member" | (string & {}) | null
	/** null unless the author is an active member */
	headline: string | null
}
export type Backup = {
	id: string
	reason: "daily" | "requested" | "migration" | (string & {})
	state: "running" | "completed" | "failed" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	startedAt: string
	finishedAt: string | null
	/** The instant whose state the backup holds */
	snapshotAt: string | null
	sizeBytes: number | null
	tables: number | null
	rows: number | null
	error: string | null
	/** When the last drill ended */
	drilledAt: string | null
	/** Why the last drill failed; null if it succeeded */
	drillError: string | null
	/** When a drill last succeeded */
	verifiedAt: string | null
	/** How long its restore took. Null with `verifiedAt` if only the recipient can read the backup: then the hashes of its chunks were checked, and nothing was restored. */
	restoreSeconds: number | null
}
export type Billing = {
	/** The tier whose limits apply now */
	tier: "free" | "pro" | "business" | "self-hosted" | (string & {})
	/** Null without a subscription that could still be paid */
	subscription: {
		/** Null if its price belongs to no tier */
		tier: "pro" | "business" | (string & {}) | null
		interval: "month" | "year" | (string & {}) | null
		/** The status at Stripe. `active` and `trialing` give the tier; `past_due` keeps it until `graceUntil`; any other status gives none */
		status: string
		currentPeriodEnd: string | null
		/** When the subscription ends; null if it renews */
		cancelAt: string | null
		/** Until when the tier is kept although a payment failed */
		graceUntil: string | null
	} | null
	/** When this was last compared with Stripe */
	syncedAt: string | null
}
export type BillingUrl = {
	url: string
}
export type Bookmark = {
	id: number
	/** The post id */
	record_id: number
	bookmarkable_type: "Post"
	/** ISO 8601, UTC, milliseconds */
	created_at: string
	bookmark_record: {
		id: number
		/** The first 100 characters of the post */
		name: string
		slug: string
		url: string
		space: SpaceRef
	}
}
/** How an organization presents itself in the player */
export type Branding = {
	primaryColor: string
	/** `auto` follows the preference of the viewer's device */
	theme: "dark" | "light" | "auto" | (string & {})
	/** An absolute URL, which changes with the logo */
	logoUrl: string | null
}
export type BulkActionInput = {
	type: "move"
	collectionId: string | null
} | {
	type: "setVisibility"
	/** `public` and `unlisted` assets play for everyone with the playback id; only `public` ones may appear in lists. `signed` assets play only with a playback token */
	visibility: "public" | "unlisted" | "signed"
} | {
	type: "process"
	aiOptions?: {
		transcription?: boolean | undefined
		subtitles?: boolean | undefined
		chapters?: boolean | undefined
		highlights?: boolean | undefined
	} | undefined
	playback?: "complete" | "early" | undefined
} | {
	type: "runAiSteps"
	steps: ("transcription" | "subtitles" | "chapters" | "highlights")[]
	/** The language that is spoken, such as `en`; found out if omitted */
	language?: string | undefined
	/** Whether to replace what a person edited */
	force?: boolean | undefined
} | {
	type: "cancel"
} | {
	type: "trash"
} | {
	type: "restore"
} | {
	type: "delete"
}
export type BulkResult = {
	assetId: string
	result: "done" | "unchanged" | "refused" | (string & {})
	/** Present if the asset was queued */
	jobId?: string
	/** Present if `result` is `refused` */
	code?: "validation" | "malformed" | "bad_credentials_mix" | "authorization_pending" | "slow_down" | "access_denied" | "expired_token" | "invalid_grant" | "invalid_scope" | "unsupported_grant_type" | "unauthorized" | "no_account" | "second_factor_required" | "forbidden" | "reauthentication_required" | "second_factor_missing" | "org_suspended" | "plan_limit" | "registration_closed" | "email_unverified" | "account_locked" | "not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "request_in_flight" | "gone" | "precondition_failed" | "version_unsupported" | "too_large" | "unsupported_media_type" | "idempotency_mismatch" | "unprocessable" | "locked" | "too_many_requests" | "checksum_mismatch" | "internal" | "not_configured" | "format_unsupported" | "unavailable" | "insufficient_storage" | (string & {})
	/** Present if `result` is `refused` */
	message?: string
}
export type CalendarFeed = {
	url: string
}
export type Collection = {
	id: string
	name: string
	color: "slate" | "red" | "orange" | "amber" | "lime" | "green" | "teal" | "cyan" | "blue" | "indigo" | "violet" | "pink" | (string & {})
	/** Number of assets in the collection */
	videoCount: number
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	updatedAt: string
}
export type Comment = {
	id: string
	authorName: string
	body: string
	/** The moment of the video that the comment is about; null for the whole video */
	timestampSec: number | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
}
/** What the caller may do with the comment */
export type CommentPolicies = {
	can_edit: boolean
	can_delete: boolean
	can_reply: boolean
	can_react: boolean
	can_report: boolean
	can_hide: boolean
}
export type Community = {
	id: number
	orgId: string | null
	name: string
	slug: string
	customDomain: string | null
	reactions: string[]
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	updatedAt: string
}
export type CommunityDomain = {
	domain: string
	/** `unverified`: the domain has no effect yet. `verified`: requests to this host belong to the community. `missing`: the domain still works, but its DNS record is gone and the domain is lost at `lostAt`. */
	state: "unverified" | "verified" | "missing" | (string & {})
	/** The DNS record to create and keep */
	record: {
		type: "TXT"
		name: string
		value: string
	}
	verifiedAt: string | null
	/** When the record was last looked up */
	checkedAt: string | null
	/** null if the record is checked only on request */
	nextCheckAt: string | null
	lostAt: string | null
	/** The problem that the last check found, and what to do */
	problem: string | null
}
export type CommunityEvent = {
	id: number
	display_title: string
	slug: string
	body_plain_text: string
	url: string
	/** ISO 8601, UTC, milliseconds */
	created_at: string
	event_type: "virtual" | "in_person" | (string & {})
	/** Number of RSVPs with the status `going` */
	rsvp_count: number
	/** Number of RSVPs with the status `waitlisted` */
	waitlisted_count: number
	/** The maximum number of attendees; null for no limit */
	capacity: number | null
	waitlist_enabled: boolean
	/** The status of the caller's RSVP */
	rsvped_event: "going" | "waitlisted" | (string & {}) | null
	event_setting_attributes: {
		/** ISO 8601, UTC, milliseconds */
		starts_at: string
		/** ISO 8601, UTC, milliseconds */
		ends_at: string
		in_person_location: string | null
		virtual_location_url: string | null
		rsvp_limit: null
	}
	space: SpaceRef
	/** null if the user was deleted */
	author: Author | null
}
export type CommunityInvitation = {
	id: number
	email: string
	/** The membership of the person who accepted; null before that, and if they are no longer a member */
	memberId: number | null
	role: "owner" | "admin" | "moderator" | "member" | (string & {})
	status: "open" | "accepted" | "expired" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
}
export type CommunityMember = {
	/** The membership id, as used in `/community_members/{memberId}` */
	id: number
	/** The membership id, as used in `/community_members/{memberId}` */
	memberId: number
	/** The user id, which is the same in every community */
	userId: number
	/** The address of the account; for a managed member, the one that you gave, or null */
	email: string | null
	name: string
	/** Whether your organization vouches for this person, who has no account */
	managed: boolean
	role: "owner" | "admin" | "moderator" | "member" | (string & {})
	status: "invited" | "active" | "inactive" | "banned" | (string & {})
	ssoUserId: string | null
	avatarUrl: string | null
	headline: string | null
	bio: string | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	updatedAt: string
}
/** The web pages that may call the API for a community */
export type CommunityOrigins = {
	/** In the order in which they were added */
	origins: string[]
	/** The origin of the verified custom domain, which is always allowed; null without one */
	customDomainOrigin: string | null
}
export type CommunityTopic = {
	id: number
	name: string
	slug: string
	/** Number of posts with the topic that the caller can see */
	posts_count: number
}
export type CurrentMember = {
	/** The membership id */
	id: number
	/** The membership id, as used in `/community_members/{memberId}` */
	community_member_id: number
	user_id: number
	name: string
	avatar_url: string | null
	headline: string | null
	bio: string | null
	role: "owner" | "admin" | "moderator" | "member" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	created_at: string
	/** Number of comments and replies of the member in all spaces of the community. Excludes deleted and hidden ones, and those under a deleted or hidden post */
	comments_count: number
	/** Number of people who follow a post of the member */
	followers_count: number
	/** Every profile field of the community by position; `value` is null if the member left it empty */
	profile_fields: {
		id: number
		key: string
		label: string
		field_type: "text" | "textarea" | "number" | "date" | "url" | "select" | "multi_select" | "checkbox" | (string & {})
		value: string | number | boolean | string[] | null
	}[]
	email: string | null
	community: {
		id: number
		name: string
		slug: string
		/** Names that the community accepts as reactions, besides emojis and `like` */
		reactions: string[]
	}
}
export type DeadLetter = {
	id: string
	queue: string
	type: string
	/** Without addresses, codes and texts */
	body: Record<string, unknown>
	attempts: number
	state: "kept" | "retried" | (string & {})
	/** False after the retry, and for messages that can't be sent without what was left out */
	retryable: boolean
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	retriedAt: string | null
}
export type DeletionStatus = {
	id: string
	status: "pending" | "confirmed" | "cancelled" | "completed" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	requested_at: string
	/** When the account will be deleted for good */
	scheduled_for: string
	confirmed_at: string | null
	cancelled_at: string | null
	completed_at: string | null
	/** Whole days until `scheduled_for`; 0 unless the status is `confirmed` */
	days_remaining: number
	user_email: string
}
export type DeviceRequest = {
	clientId: string
	deviceName: string
	scopes: ("read" | "write" | "admin" | "headless:auth" | "members:write" | (string & {}))[]
	place: Place
	/** Whether the device asked from the network of the person who looks it up; null if the installation can't know. Equal networks prove nothing: many people share one. */
	sameNetwork: boolean | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
}
export type DeviceRequestStarted = {
	/** A secret of the program, for the next operation */
	device_code: string
	user_code: string
	verification_uri: string
	verification_uri_complete: string
	/** Seconds */
	expires_in: number
	/** Seconds between two attempts to get the key */
	interval: number
}
export type DeviceToken = {
	/** The API key */
	access_token: string
	token_type: "Bearer"
	/** The granted scopes, which may be fewer than requested */
	scope: string
	org_id: string
}
export type Diagnostics = {
	/** Whether database, storage and queue all work */
	ok: boolean
	database: {
		ok: boolean
		ms: number
		driver: "d1" | "libsql" | (string & {})
	}
	storage: {
		vault: {
			ok: boolean
			ms: number
		}
		media: {
			ok: boolean
			ms: number
		}
	}
	/** null while the database does not respond */
	queue: {
		/** Whether no event has waited longer than five minutes */
		ok: boolean
		/** Messages that failed for good and need attention */
		deadLetters: number
		/** Events that are not handled yet */
		waiting: number
		oldestWaitingAt: string | null
	} | null
	/** null while the database does not respond */
	transcoding: FleetStats | null
	mail: {
		kind: "console" | "smtp" | "http" | "binding" | (string & {})
	}
	bundle?: SupportBundle
	machines: {
		online: number
		draining: number
		/** Machines that registered with an earlier `FLEET_TOKEN` */
		outdated: number
		total: number
	} | null
	/** The last repair after the database was restored; null if it never was, or while it does not respond */
	lastRepair: {
		/** ISO 8601, UTC, milliseconds */
		startedAt: string
		/** What is done now; null at the end */
		step: "raise-sequences" | "repeat-revocations" | "repeat-erasures" | "restart-jobs" | "compare-subscriptions" | "end-access" | "reopen" | "sweep-storage" | (string & {}) | null
		/** How many rows or objects each step has changed */
		changed: Partial<Record<"raise-sequences" | "repeat-revocations" | "repeat-erasures" | "restart-jobs" | "compare-subscriptions" | "end-access" | "reopen" | "sweep-storage" | (string & {}), number>>
		/** When requests were served again */
		openedAt: string | null
		endedAt: string | null
	} | null
}
export type DirectUpload = {
	id: string
	status: "waiting" | "asset_created" | "cancelled" | "timed_out" | "errored" | (string & {})
	/** null until the file is complete */
	assetId: string | null
	corsOrigin: string | null
	maxBytes: number
	contentTypes: string[]
	newAsset: {
		title: string
		description: string | null
		/** `public` and `unlisted` assets play for everyone with the playback id; only `public` ones may appear in lists. `signed` assets play only with a playback token */
		visibility: "public" | "unlisted" | "signed" | (string & {})
		publicSettings: PublicSettings
		metadata: Record<string, string>
		collectionId: string | null
		process: "whenUploaded" | null
		processOptions: {
			aiOptions: {
				transcription: boolean
				subtitles: boolean
				chapters: boolean
				highlights: boolean
			}
			playback: "complete" | "early" | (string & {})
		} | null
	}
	/** Why a complete file became no asset, if `status` is `errored` */
	error: {
		code: string
		message: string
	} | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
	endedAt: string | null
}
export type Download = {
	/** Valid for 15 minutes; supports range requests */
	downloadUrl: string
	fileSizeBytes: number
	/** A file name, made from the title */
	filename: string
}
/** How the videos of an organization are encoded */
export type EncodingSettings = {
	/** Always contains `h264`, which every player supports */
	codecs: ("h264" | "hevc" | "av1" | (string & {}))[]
}
export type Event = {
	/** The same in every delivery of the event; use it to ignore repetitions */
	id: string
	/** ISO 8601, UTC, milliseconds */
	timestamp: string
	/** Counts the events of the organization without gaps. The events of one resource have the order in which they happened */
	sequence: number
	type: EventType
	/** See the webhooks of this document for the data of each type */
	data: Record<string, unknown>
}
export type EventType = "asset.created" | "upload.asset_created" | "asset.uploaded" | "asset.processing" | "asset.playable" | "asset.rendition.ready" | "asset.ready" | "asset.error" | "asset.processing_cancelled" | "asset.trashed" | "asset.restored" | "asset.deleted" | "ai.completed" | "ai.failed" | "subtitles.translated" | "subtitles.translation_failed" | "comment.created" | "comment.deleted" | "reaction.added" | "member.joined" | "member.left" | "member.banned" | "member.merged" | "post.created" | "post.updated" | "post.deleted" | "post.hidden" | "post.restored" | "post_comment.created" | "post_comment.updated" | "post_comment.deleted" | "post_comment.hidden" | "post_comment.restored" | "event.created" | "event.updated" | "event.deleted" | "rsvp.changed" | "rsvp.deleted" | "flag.created" | "audit.recorded" | (string & {})
export type EventTypeInput = "asset.created" | "upload.asset_created" | "asset.uploaded" | "asset.processing" | "asset.playable" | "asset.rendition.ready" | "asset.ready" | "asset.error" | "asset.processing_cancelled" | "asset.trashed" | "asset.restored" | "asset.deleted" | "ai.completed" | "ai.failed" | "subtitles.translated" | "subtitles.translation_failed" | "comment.created" | "comment.deleted" | "reaction.added" | "member.joined" | "member.left" | "member.banned" | "member.merged" | "post.created" | "post.updated" | "post.deleted" | "post.hidden" | "post.restored" | "post_comment.created" | "post_comment.updated" | "post_comment.deleted" | "post_comment.hidden" | "post_comment.restored" | "event.created" | "event.updated" | "event.deleted" | "rsvp.changed" | "rsvp.deleted" | "flag.created" | "audit.recorded"
export type Flag = {
	id: number
	content_type: "Post" | "Comment" | (string & {})
	content_id: number
	/** The id of the flagged post, or of the post that the flagged comment belongs to */
	post_id: number
	reason: string
	/** ISO 8601, UTC, milliseconds */
	created_at: string
	dismissed_at: string | null
	/** The state of the flagged content */
	state: "shown" | "hidden" | "removed" | (string & {})
	/** Empty for a comment that was deleted for good */
	excerpt: string
	/** The author of the flagged content; null if the user was deleted */
	author: Author | null
	/** null if the user was deleted */
	reporter: Author | null
	space: SpaceRef
}
export type FleetStats = {
	jobs: {
		queued: number
		processing: number
		completed24h: number
		failed24h: number
	}
	tasks: {
		queued: number
		running: number
		done24h: number
		failures24h: number
		expiredLeases24h: number
		byKind: {
			kind: string
			queued: number
			running: number
		}[]
	}
	oldestQueuedAt: string | null
	oldestQueuedAgeSec: number | null
	mediaSec24h: number
	/** Seconds of video processed per second of work; null if nothing was processed */
	speed: number | null
	/** Minutes of video that were encoded, counted once for each codec */
	encodeMinutes24h: number
	/** Seconds of video encoded per second of encoding */
	realTimeFactor: number | null
	/** From the hourly prices of machines and the time in which they worked; null without a price or encoded video */
	costPerEncodeMinute: number | null
	failuresByReason24h: {
		reason: string
		count: number
	}[]
}
export type Health = {
	ok: boolean
}
export type HiddenContent = {
	content_type: "Post" | "Comment" | (string & {})
	content_id: number
	/** The id of the flagged post, or of the post that the flagged comment belongs to */
	post_id: number
	/** ISO 8601, UTC, milliseconds */
	hidden_at: string
	/** The reason that the moderator gave; for a reply that was hidden with its comment, `The comment above was hidden` */
	hidden_reason: string | null
	excerpt: string
	/** null if the user was deleted */
	author: Author | null
	space: SpaceRef
}
export type Highlight = {
	id: string
	title: string
	description: string
	/** Seconds from the beginning of the video */
	startTime: number
	endTime: number
	/** How much the part stands out in its video by what is said, and by what viewers watch again */
	score: number
	/** What it has more of than the rest of the video: questions, exclamations, numbers and words of stress; words of the topic; words in a second; silence before it; viewers who watch it again */
	reasons: ("emphasis" | "topic" | "pace" | "pause" | "rewatch" | (string & {}))[]
	/** The state of the clip */
	status: "processing" | "ready" | "failed" | (string & {})
}
export type Identity = {
	kind: "session" | "key" | (string & {})
	org: IdentityOrg
	/** The API key; null for a session */
	key: {
		id: string
		name: string
		scopes: ("read" | "write" | "admin" | "headless:auth" | "members:write" | (string & {}))[]
	} | null
	/** The signed-in user and the role in the organization; null for an API key */
	user: {
		id: number
		email: string
		name: string
		role: "owner" | "admin" | "member" | (string & {})
	} | null
	/** When the API key or the session expires; null for a key without an expiry */
	expiresAt: string | null
}
export type IdentityOrg = {
	id: string
	slug: string
	name: string
}
export type IdentityProvider = {
	id: number
	label: string
	issuer: string
	clientId: string
	/** `anyone`: whoever signs in with the provider becomes a member. `members`: only members whose `ssoUserId` is `oidc:{id of the provider}:{sub}` already may sign in. */
	joining: "anyone" | "members" | (string & {})
	/** The redirect URI to register with the provider */
	redirectUri: string
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	updatedAt: string
}
export type Impersonation = {
	id: string
	/** The superadmin; null after the deletion of their account */
	impersonator: {
		userId: number
		email: string
	} | null
	userId: number
	orgId: string
	reason: string
	caseNumber: string | null
	write: boolean
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
	/** When somebody ended it, before it expired */
	endedAt: string | null
}
export type InstallationStats = {
	/** ISO 8601, UTC, milliseconds */
	measuredAt: string
	organizations: number
	users: number
	assets: {
		total: number
		byStatus: {
			created: number
			uploaded: number
			queued: number
			processing: number
			ready: number
			error: number
		}
	}
	storage: {
		sourceBytes: number
		mediaBytes: number
	}
	videoMinutes: number
}
export type Invitation = {
	id: string
	email: string
	role: "owner" | "admin" | "member" | (string & {})
	status: "open" | "accepted" | "expired" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
}
export type InvitationLink = {
	id: number
	name: string
	role: "admin" | "moderator" | "member" | (string & {})
	accessGroupIds: number[]
	maxUses: number | null
	/** How many people have joined with the link */
	uses: number
	expiresAt: string | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
}
export type InvitedMember = {
	invitationId: number
	email: string
	role: "owner" | "admin" | "moderator" | "member" | (string & {})
	status: "invited"
	ssoUserId: string | null
	avatarUrl: string | null
	headline: string | null
	bio: string | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** When the link in the email expires */
	expiresAt: string
}
export type Job = {
	id: string
	status: "queued" | "processing" | "completed" | "failed" | "cancelled" | (string & {})
	/** The kind of the machine that last worked on the job; `none` before that */
	workerKind: string
	hwAccelUsed: boolean
	progress: number
	estimatedSecondsLeft: number | null
	errorMessage: string | null
	/** Codecs besides H.264 that were requested but not encoded */
	leftOut: {
		codec: string
		reason: string
	}[]
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	startedAt: string | null
	endedAt: string | null
	assetId: string
	/** `fetching` (for an imported source), `inspecting`, `encoding`, `packaging`, `stills` or `finishing`; null if the job is not running */
	currentStep: string | null
	attempts: {
		/** Attempts of machines that failed or did not respond */
		failed: number
		/** Tasks on which machines work now */
		running: number
	}
}
export type LiveCount = {
	/** Playback sessions that play the video now, or were paused less than five minutes ago */
	viewers: number
	/** ISO 8601, UTC, milliseconds */
	at: string
}
export type Machine = {
	id: string
	name: string
	/** `offline` also if the machine sent nothing for 90 seconds */
	state: "online" | "draining" | "offline" | (string & {})
	/** Whether the machine has a WebSocket open; otherwise it polls. null if unknown */
	connected: boolean | null
	capabilities: {
		kind: "cpu" | "nvidia" | "vaapi" | "qsv" | "videotoolbox" | (string & {})
		cores: number
		memoryBytes: number
		ffmpegVersion: string
		/** Encoders that encoded a test frame at startup */
		encoders: string[]
		/** Hardware decoders that decoded a test frame at startup */
		decoders?: ("cuda" | "vaapi" | "qsv" | "videotoolbox" | (string & {}))[]
		/** The speech engine, if it recognized a trial sentence at startup */
		speech?: {
			engine: string
			/** `*` stands for every language, and for finding out which one is spoken */
			languages: (string | "*")[]
			/** Seconds of work for a second of speech, measured at startup */
			realTimeFactor: number
		} | null
		/** How many video chunks the machine encodes at once; one other task may run beside them */
		slots: number
	}
	/** Whether the machine gets no new tasks until it is started */
	paused: boolean
	/** Whether the machine may neither work nor register until it is readmitted */
	evicted: boolean
	/** Whether the machine registered with an earlier `FLEET_TOKEN`. It may still work until `sign-off-outdated` is called */
	outdated: boolean
	running: number
	hasStartHook: boolean
	runningTasks: {
		id: string
		kind: string
		jobId: string
		assetId: string
		progress: number
		/** ISO 8601, UTC, milliseconds */
		startedAt: string
	}[]
	done24h: number
	failures24h: number
	/** Tasks that the machine completed in the last hour */
	done1h: number
	/** Attempts at tasks that failed on the machine in the last hour */
	failures1h: number
	/** Average seconds of work of the tasks counted by `done1h`; null if there are none */
	averageWorkSec1h: number | null
	/** Failures of the last 24 hours, newest first */
	lastFailures: {
		taskId: string
		assetId: string
		kind: string
		reason: "permanent" | "transient" | "expired" | (string & {})
		message: string
		/** ISO 8601, UTC, milliseconds */
		at: string
	}[]
	/** Seconds of video processed per second of work in the last 24 hours; null if the machine did nothing */
	speed: number | null
	load: number | null
	/** ISO 8601, UTC, milliseconds */
	registeredAt: string
	/** ISO 8601, UTC, milliseconds */
	lastSeenAt: string
}
export type ManagedMembership = {
	/** The membership id, as used in `/community_members/{memberId}` */
	memberId: number
	ssoUserId: string | null
	communityId: number
	communityName: string
	orgName: string
}
export type ManagedProfileField = {
	id: number
	key: string
	label: string
	fieldType: "text" | "textarea" | "number" | "date" | "url" | "select" | "multi_select" | "checkbox" | (string & {})
	required: boolean
	options: string[]
	position: number
}
export type MemberCard = {
	/** The membership id */
	id: number
	/** The membership id, as used in `/community_members/{memberId}` */
	community_member_id: number
	user_id: number
	name: string
	avatar_url: string | null
	headline: string | null
	bio: string | null
	role: "owner" | "admin" | "moderator" | "member" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	created_at: string
}
export type MemberProfile = {
	/** The membership id */
	id: number
	/** The membership id, as used in `/community_members/{memberId}` */
	community_member_id: number
	user_id: number
	name: string
	avatar_url: string | null
	headline: string | null
	bio: string | null
	role: "owner" | "admin" | "moderator" | "member" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	created_at: string
	/** Number of comments and replies of the member in all spaces of the community. Excludes deleted and hidden ones, and those under a deleted or hidden post */
	comments_count: number
	/** Number of people who follow a post of the member */
	followers_count: number
	/** Every profile field of the community by position; `value` is null if the member left it empty */
	profile_fields: {
		id: number
		key: string
		label: string
		field_type: "text" | "textarea" | "number" | "date" | "url" | "select" | "multi_select" | "checkbox" | (string & {})
		value: string | number | boolean | string[] | null
	}[]
}
export type MemberReaction = {
	id: number
	reaction: string
	/** ISO 8601, UTC, milliseconds */
	created_at: string
	/** The membership id, as used in `/community_members/{memberId}` */
	community_member_id: number
	name: string
	avatar_url: string | null
}
export type MemberSpace = {
	id: number
	name: string
	slug: string
	space_type: "basic" | "event" | "image" | "members" | "chat" | "course" | (string & {})
	space_group_id: number | null
	emoji: string | null
	description: string
	visibility: "public" | "private" | "secret" | (string & {})
	posts_count: number
	/** Number of posts of others since the caller marked the space as read, or else joined; 20 means that many or more. Counts only among the newest 200 posts of the space, those of the caller included */
	unread_posts_count: number
	policies: SpacePolicies
}
export type MemberSpaceGroup = {
	id: number
	name: string
	slug: string
}
export type MemberTokenGrant = {
	id: string
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
}
export type MemberTokens = {
	/** Member JWT, valid for one hour */
	access_token: string
	/** ISO 8601, UTC, milliseconds */
	access_token_expires_at: string
	/** Valid for one use within 30 days, and at most until 90 days after the exchange of the API key; each refresh returns a new one */
	refresh_token: string
	/** ISO 8601, UTC, milliseconds */
	refresh_token_expires_at: string
	/** The membership id, as used in `/community_members/{memberId}` */
	community_member_id: number
	community_id: number
}
export type Membership = {
	orgId: string
	slug: string
	name: string
	role: "owner" | "admin" | "member" | (string & {})
	suspended: boolean
	secondFactorRequired: boolean
	current: boolean
}
export type ModeratedComment = {
	id: string
	authorName: string
	body: string
	/** The moment of the video that the comment is about; null for the whole video */
	timestampSec: number | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	hidden: boolean
}
export type NewApiKey = {
	id: string
	name: string
	/** The first characters of the key, to recognize it by */
	prefix: string
	lastFour: string
	scopes: ("read" | "write" | "admin" | "headless:auth" | "members:write" | (string & {}))[]
	/** The user who created the key; null if that user was deleted, and the key no longer works */
	createdBy: {
		id: number
		name: string
	} | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	expiresAt: string | null
	/** Accurate to five minutes */
	lastUsedAt: string | null
	key: string
}
export type NewDirectUpload = {
	id: string
	status: "waiting" | "asset_created" | "cancelled" | "timed_out" | "errored" | (string & {})
	/** null until the file is complete */
	assetId: string | null
	corsOrigin: string | null
	maxBytes: number
	contentTypes: string[]
	newAsset: {
		title: string
		description: string | null
		/** `public` and `unlisted` assets play for everyone with the playback id; only `public` ones may appear in lists. `signed` assets play only with a playback token */
		visibility: "public" | "unlisted" | "signed" | (string & {})
		publicSettings: PublicSettings
		metadata: Record<string, string>
		collectionId: string | null
		process: "whenUploaded" | null
		processOptions: {
			aiOptions: {
				transcription: boolean
				subtitles: boolean
				chapters: boolean
				highlights: boolean
			}
			playback: "complete" | "early" | (string & {})
		} | null
	}
	/** Why a complete file became no asset, if `status` is `errored` */
	error: {
		code: string
		message: string
	} | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
	endedAt: string | null
	/** Shown only once */
	url: string
}
export type NewInvitationLink = {
	id: number
	name: string
	role: "admin" | "moderator" | "member" | (string & {})
	accessGroupIds: number[]
	maxUses: number | null
	/** How many people have joined with the link */
	uses: number
	expiresAt: string | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	token: string
}
export type NewNotifications = {
	new_notifications_count: number
	/** There are no mentions */
	new_mentions_count: 0
	/** There are no direct messages */
	new_inbox_count: 0
}
export type NewPasskeyCredential = {
	id: string
	type: "public-key"
	response: {
		clientDataJSON: string
		authenticatorData: string
		/** SubjectPublicKeyInfo */
		publicKey: string
		publicKeyAlgorithm: number
	}
}
export type Notification = {
	id: number
	/** `post_comment`: a comment on your post. `comment_reply`: a reply to your comment. `followed_post_comment`: a comment on a post that you follow. `post_reaction`, `comment_reaction`: reactions to your post or comment. `event_changed`: a new time or place of an event that you attend. `event_place`: you got a place from the waitlist of an event. `event_cancelled`: an event that you attend or wait for was deleted. `post_hidden`, `comment_hidden`: a moderator hid your post or comment, perhaps with the comment above it; `post_restored`, `comment_restored`: it is shown again. */
	kind: "post_comment" | "comment_reply" | "followed_post_comment" | "post_reaction" | "comment_reaction" | "event_changed" | "event_place" | "event_cancelled" | "post_hidden" | "post_restored" | "comment_hidden" | "comment_restored" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	created_at: string
	read_at: string | null
	/** The member who caused the notification, or the latest of several; null for events, and for what moderators hid or restored */
	actor: Author | null
	/** What happened, to follow the name of the actor */
	display_action: string
	/** The sentence in English, with the title */
	text: string
	notifiable_type: "Post" | "Comment" | "Event" | (string & {})
	notifiable_id: number
	/** The title of the event or post */
	notifiable_title: string | null
	/** For a front end, such as `/posts/7#comment-9` */
	path: string
	/** null for an event outside all spaces */
	space: SpaceRef | null
	post_id: number | null
	comment_id: number | null
	/** Also set for a cancelled event, which no longer exists */
	event_id: number | null
	/** The first 100 characters of the comment or post, or the title of the event */
	excerpt: string
	/** Why the moderator hid it, for `post_hidden` and `comment_hidden` while it is hidden */
	reason: string | null
	url: string
}
export type NotificationCount = {
	unread: number
	/** There are more unread notifications; show `99+` */
	has_more: boolean
}
export type NotificationPreferences = {
	post_comment: boolean
	comment_reply: boolean
	followed_post_comment: boolean
	post_reaction: boolean
	comment_reaction: boolean
	event_changed: boolean
	event_place: boolean
	event_cancelled: boolean
	post_hidden: boolean
	post_restored: boolean
	comment_hidden: boolean
	comment_restored: boolean
	/** Writing a post or comment follows the post */
	follow_participated_posts: boolean
}
/** What another site needs to embed a video (oembed.com, version 1.0) */
export type OEmbed = {
	type: "video"
	version: "1.0"
	provider_name: string
	provider_url: string
	title: string
	/** An iframe with the player */
	html: string
	width: number
	height: number
	thumbnail_url?: string
	thumbnail_width?: number
	thumbnail_height?: number
	/** For how many seconds to keep the response */
	cache_age: number
}
export type Org = {
	id: string
	name: string
	slug: string
	tier: "free" | "pro" | "business" | "self-hosted" | (string & {})
	/** Role of the calling user; null for an API key */
	role: "owner" | "admin" | "member" | (string & {}) | null
	webhookUrl: string | null
	/** Whether a reason other than `billing` suspends it */
	suspended: boolean
	suspensionReasons: ("abuse" | "billing" | "operator" | (string & {}))[]
	/** Whether superadmins may act as members of the organization */
	supportAccess: boolean
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	updatedAt: string
}
export type OrgMember = {
	userId: number
	email: string
	name: string
	role: "owner" | "admin" | "member" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	joinedAt: string
}
export type OrgRef = {
	id: string
	slug: string
}
export type OrgUsage = {
	tier: "free" | "pro" | "business" | "self-hosted" | (string & {})
	period: {
		/** ISO 8601, UTC, milliseconds */
		from: string
		/** ISO 8601, UTC, milliseconds */
		to: string
	}
	used: {
		encodeMinutesPerMonth: number
		storageBytes: number
		/** Minutes of video that were served, to members and programs too; null if they are not known now */
		deliveryMinutesPerMonth: number | null
		apiKeys: number
		members: number
	}
	/** The minutes delivered this month; null if the installation does not count them, or if they are not known now */
	delivery: {
		total: number
		/** What was served of public and unlisted videos. Nobody is charged for reports of players */
		public: {
			/** Such as `720p`; `other` if it is not known */
			quality: string
			minutes: number
		}[]
		publicCheck: {
			/** What players reported of the same videos, by members and programs too, of sessions that are over. Anybody can report anything, so it counts for nothing */
			reported: {
				/** Such as `720p`; `other` if it is not known */
				quality: string
				minutes: number
			}[]
			/** How far the report is from what was served; -0.05 is 5 % less, null if nothing was served. Sessions that are still open, players that report nothing of what they load, and viewers of whom nothing is collected are only in what was served */
			difference: number | null
		}
		signed: {
			/** What was served of signed videos */
			served: {
				/** Such as `720p`; `other` if it is not known */
				quality: string
				minutes: number
			}[]
			/** What players reported of the same videos, by members and programs too, of sessions that are over. Anybody can report anything, so it counts for nothing */
			reported: {
				/** Such as `720p`; `other` if it is not known */
				quality: string
				minutes: number
			}[]
			/** How far the report is from what was served; -0.05 is 5 % less, null if nothing was served. Sessions that are still open, players that report nothing of what they load, and viewers of whom nothing is collected are only in what was served */
			difference: number | null
		}
	} | null
	limits: TierLimits
}
export type Passkey = {
	id: string
	name: string
	/** Whether the authenticator keeps the key in several places */
	backedUp: boolean
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	lastUsedAt: string | null
}
export type PasskeyAssertion = {
	id: string
	type: "public-key"
	response: {
		clientDataJSON: string
		authenticatorData: string
		signature: string
		userHandle?: string | null | undefined
	}
}
export type PendingDeletion = {
	id: string
	status: "pending" | "confirmed" | "cancelled" | "completed" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	requested_at: string
	/** When the account will be deleted for good */
	scheduled_for: string
	confirmed_at: string | null
	cancelled_at: string | null
	completed_at: string | null
	/** Whole days until `scheduled_for`; 0 unless the status is `confirmed` */
	days_remaining: number
	user_email: string
	has_pending_deletion: true
}
/** Where a request came from, without the exact address */
export type Place = {
	/** Two letters (ISO 3166-1), where Cloudflare knows it */
	country: string | null
	network: string | null
}
export type PlaybackRecord = {
	playbackId: string
	/** URL of the HLS multivariant playlist */
	manifestUrl: string
	/** An absolute URL */
	thumbnailUrl: string
	title: string
	description: string | null
	durationSec: number
	/** Width of the largest rendition in pixels; null for audio without video */
	width: number | null
	/** Height of the largest rendition in pixels; null for audio without video */
	height: number | null
	/** Such as `16:9` or `9:16`: the exact ratio, or a well-known one within 1 % of it; null for audio without video */
	aspectRatio: string | null
	/** A blurred picture to show until the image at `thumbnailUrl` is loaded: its ThumbHash in base64. null for audio, for custom thumbnails, and for videos that were processed before there were placeholders */
	placeholder: string | null
	/** URL of the WebVTT file that lists thumbnails for seeking; null until it exists, and for audio without video */
	storyboardUrl: string | null
	/** Whether the caller may change the asset */
	canEdit: boolean
	publicSettings: PublicSettings
	settings: Branding
	audio: {
		/** `none` for a video without sound */
		codec: string
		bitrateKbps: number
		sampleRate: number
		channels: number
	}
	ai: {
		/** `none` until AI processing has results */
		status: string
		/** WebVTT in the language of the transcript, or in the first language of `subtitles` */
		subtitlesUrl: string | null
		srtSubtitlesUrl: string | null
		chaptersUrl: string | null
		transcriptUrl: string | null
		language: string | null
		/** The subtitles that viewers can choose, at most one for each language */
		subtitles: {
			/** The language as a tag (BCP 47) such as `pt-BR`, or `und` if it is unknown */
			language: string
			/** The name of the language in that language, as menus show it */
			name: string
			/** `transcript` if they were made from the transcript, `upload` if somebody uploaded them, `translation` if a language model translated them */
			source: "transcript" | "upload" | "translation" | (string & {})
			/** An absolute URL */
			url: string
			/** An absolute URL */
			srtUrl: string
		}[]
	}
}
export type PlaybackSessionTimeline = {
	sessionId: string
	/** The report id that the page showed, or the `sid` of a player with CMCD; null if the player sent none */
	reportId: string | null
	/** When the first report arrived */
	startedAt: string
	/** When the newest report arrived */
	reportedAt: string
	/** Whether the player may still report */
	isOpen: boolean
	audience: "viewer" | "member" | "bot" | "crowd" | (string & {})
	device: "desktop" | "phone" | "tablet" | "tv" | "other" | (string & {})
	browser: string
	country: string | null
	/** The host of the page around the player */
	referrer: string | null
	player: "embed" | "watch" | "other" | (string & {})
	/** Totals of the whole session, from the newest report */
	totals: {
		activity: "starting" | "playing" | "paused" | "seeking" | "stalled" | "ended" | "failed" | (string & {})
		positionMs: number
		watchedMs: number
		playedMs: number
		startupMs: number | null
		waitedMs: number
		stalls: number
		stalledMs: number
		seeks: number
		seekMs: number
		/** How long each quality was shown, by height */
		shownMs: Record<string, number>
		/** How much video was loaded in each quality, by height */
		deliveredMs: Record<string, number>
		renditionsUp: number
		renditionsDown: number
		droppedFrames: number
		error: string | null
	}
	/** At most 200. While nothing but the position changes, only the first and the last reports have an entry */
	entries: {
		/** ISO 8601, UTC, milliseconds */
		at: string
		activity: "starting" | "playing" | "paused" | "seeking" | "stalled" | "ended" | "failed" | (string & {})
		positionMs: number
		/** How long each quality was shown since the entry before */
		shownMs: Record<string, number>
		/** Since the start of the session, like `stalledMs` */
		stalls: number
		stalledMs: number
		error: string | null
	}[]
	/** The number of entries left out of the middle */
	omitted: number
}
/** The state of a playback session so far, as its player knows it */
export type PlaybackStateInput = {
	/** The number of this state in its session. A state with a lower number is ignored */
	seq: number
	activity: "starting" | "playing" | "paused" | "seeking" | "stalled" | "ended" | "failed"
	/** The current position in the video */
	positionMs: number
	/** How long the video was playing or stalled after it had started; never less than before */
	watchedMs: number
	/** The parts of the video that were played, in the order of playing, repetitions included: start, end, start, end … in tenths of a second */
	played: number[]
	/** From the request to play until the first frame; null before that */
	startupMs?: number | null | undefined
	/** How long the viewer has waited for the first frame, even if none was shown */
	waitedMs?: number | undefined
	/** How often playback waited for data, except for the start and after seeks */
	stalls?: number | undefined
	stalledMs?: number | undefined
	seeks?: number | undefined
	/** How long seeks took until playback could go on */
	seekMs?: number | undefined
	/** How long each quality was shown, in milliseconds by the shorter side of the picture in pixels */
	renditionMs?: Record<string, number> | undefined
	/** How much video was loaded from the network, in milliseconds by the shorter side of the picture */
	deliveredMs?: Record<string, number> | undefined
	/** The sum of bitrate (kbit/s) times how long it was shown (ms) */
	bitrateMs?: number | undefined
	/** The sum of how far the picture was enlarged (1 for twice the size of the video) times for how long (ms) */
	upscaleMs?: number | undefined
	upscaleMax?: number | undefined
	/** How often the quality became higher */
	renditionsUp?: number | undefined
	renditionsDown?: number | undefined
	droppedFrames?: number | undefined
	/** A short code of the error that ended playback */
	error?: string | null | undefined
}
/** How the player starts unless its address says otherwise */
export type PlayerDefaults = {
	/** Browsers start videos by themselves only if they are muted */
	autoplay: boolean
	muted: boolean
	/** Whether captions are shown from the start */
	captions: boolean
	/** Whether the player shows its controls */
	controls: boolean
}
export type PlayerEventInput = {
	kind: "view_start" | "heartbeat" | "play" | "pause" | "seek" | "quality_change" | "buffer_start" | "buffer_end" | "error" | "view_end"
	playbackId: string
	/** A random id that the player chooses for each playback of a video, and stores nowhere */
	sessionId: string
	/** The time of the event by the clock of the player, in milliseconds since 1970. Required without `state`. Only differences within a session matter, and an event with the same kind and time counts once */
	at?: number | undefined
	positionMs?: number | undefined
	/** How long the video was watched in this session so far; never less than before */
	watchedMs?: number | undefined
	/** The new quality in `quality_change`, by its shorter side in pixels */
	height?: number | undefined
	error?: string | undefined
	state?: PlaybackStateInput | undefined
	/** The token from the response to an earlier event of the session */
	token?: string | undefined
	player?: "embed" | "watch" | "other" | undefined
	/** Whether this is a preview, such as in a dashboard. A preview counts in `members` alone, and not in the live count. The first event of a session decides */
	preview?: boolean | undefined
	/** The id that the player shows to a viewer when playback fails, so that support can find the session */
	reportId?: string | undefined
	/** The address of the page around the player. Only its host is stored */
	referrer?: string | undefined
}
export type PointTransaction = {
	id: number
	/** The membership id; null if the person is no longer a member */
	memberId: number | null
	points: number
	reason: string
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
}
export type Post = {
	id: number
	/** The title */
	name: string | null
	/** Plain text */
	body: string
	/** The beginning of the body: at most 280 characters as people count them, and never part of one */
	excerpt: string
	/** The body is longer than the excerpt */
	is_truncated: boolean
	slug: string
	url: string
	/** ISO 8601, UTC, milliseconds */
	created_at: string
	/** ISO 8601, UTC, milliseconds */
	updated_at: string
	space: SpaceRef
	/** null if the user was deleted */
	author: Author | null
	topics: TopicRef[]
	/** The URL of the first image */
	cover_image: string | null
	images: PostImage[]
	/** Number of comments and replies */
	comments_count: number
	/** Number of members who reacted with each emoji */
	reactions: Record<string, number>
	my_reaction: string | null
	/** The reaction of the caller is `like` */
	is_liked: boolean
	/** Number of members who reacted with `like` */
	user_likes_count: number
	is_bookmarked: boolean
	is_following: boolean
	policies: PostPolicies
	/** When a moderator hid it; such content is returned only to its author and to moderators */
	hidden_at: string | null
	/** The reason that the moderator gave; for a reply that was hidden with its comment, `The comment above was hidden` */
	hidden_reason: string | null
}
export type PostComment = {
	id: number
	post_id: number
	parent_comment_id: number | null
	body: string
	/** ISO 8601, UTC, milliseconds */
	created_at: string
	/** ISO 8601, UTC, milliseconds */
	updated_at: string
	/** null if the user was deleted */
	author: Author | null
	/** Set for the placeholder of a removed comment, which stays while it has replies. Its `body` is empty, and its `author` null. */
	removed_at: string | null
	replies_count: number
	/** Number of members who reacted with each emoji */
	reactions: Record<string, number>
	my_reaction: string | null
	/** The reaction of the caller is `like` */
	is_liked: boolean
	/** Number of members who reacted with `like` */
	user_likes_count: number
	policies: CommentPolicies
	/** When a moderator hid it; such content is returned only to its author and to moderators */
	hidden_at: string | null
	/** The reason that the moderator gave; for a reply that was hidden with its comment, `The comment above was hidden` */
	hidden_reason: string | null
	/** The first three replies, oldest first; empty for a reply. `replies_count` counts all of them. */
	replies: PostReply[]
}
export type PostFollower = {
	id: number
	post_id: number
	/** The user id, as the specification requires; in all other objects this field is the membership id */
	community_member_id: number
	/** The membership id, as used in `/community_members/{memberId}` */
	membership_id: number
	name: string
	avatar_url: string | null
}
export type PostImage = {
	id: number
	/** The URL of the image with a token, for `<img src>` and the like. It works without a credential for 30 to 60 minutes, and is constant for half an hour so that browsers can cache the image. Read the record again for a new one. */
	url: string
	content_type: string
	/** The width in pixels as shown, so that a page can reserve the place; null for images that were uploaded before sizes were stored */
	width: number | null
	height: number | null
	/** A description for people who can't see the image */
	alt: string | null
	/** Number of members who reacted with each emoji */
	reactions: Record<string, number>
	my_reaction: string | null
}
/** What the caller may do with the post */
export type PostPolicies = {
	can_edit: boolean
	can_delete: boolean
	can_comment: boolean
	can_react: boolean
	can_report: boolean
	can_hide: boolean
}
export type PostReply = {
	id: number
	post_id: number
	parent_comment_id: number | null
	body: string
	/** ISO 8601, UTC, milliseconds */
	created_at: string
	/** ISO 8601, UTC, milliseconds */
	updated_at: string
	/** null if the user was deleted */
	author: Author | null
	/** Set for the placeholder of a removed comment, which stays while it has replies. Its `body` is empty, and its `author` null. */
	removed_at: string | null
	replies_count: number
	/** Number of members who reacted with each emoji */
	reactions: Record<string, number>
	my_reaction: string | null
	/** The reaction of the caller is `like` */
	is_liked: boolean
	/** Number of members who reacted with `like` */
	user_likes_count: number
	policies: CommentPolicies
	/** When a moderator hid it; such content is returned only to its author and to moderators */
	hidden_at: string | null
	/** The reason that the moderator gave; for a reply that was hidden with its comment, `The comment above was hidden` */
	hidden_reason: string | null
}
export type Preferences = {
	theme: "system" | "light" | "dark" | (string & {})
	/** A language tag (BCP 47); null for the language of the browser */
	language: string | null
	/** The height of rows in lists */
	density: "comfortable" | "compact" | (string & {})
	/** How pages show the asset list */
	libraryLayout: "table" | "grid" | (string & {})
}
export type ProfileField = {
	id: number
	key: string
	label: string
	field_type: "text" | "textarea" | "number" | "date" | "url" | "select" | "multi_select" | "checkbox" | (string & {})
	required: boolean
	options: string[]
}
export type PublicCommunity = {
	id: number
	name: string
	slug: string
	/** The branding of the organization; null if the community has none */
	branding: {
		primary_color: string
		/** `auto` follows the preference of the viewer's device */
		theme: "dark" | "light" | "auto" | (string & {})
		logo_url: string | null
	} | null
	/** How people become members: by an invitation or link, or through the sign-in of the organization */
	joining: ("invitation" | "invitation_link" | "organization" | (string & {}))[]
	/** The ways to sign in that are set up; each `url` is absolute. `password`, `code` and `passkey` are for people with an account. For `oidc`, open `url` in the browser: see `GET /api/headless/v1/sign_in/{providerId}`. */
	sign_in: {
		kind: "password" | "code" | "passkey" | "oidc" | (string & {})
		url: string
		/** The name of the provider */
		label?: string
	}[]
}
export type PublicConfig = {
	/** Whether videos are transcribed: a machine with a speech engine worked within a day */
	aiAvailable: boolean
	registration: {
		enabled: boolean
		allowedDomains: string[]
	}
	uploads: {
		resumableMaxBytes: number
		directMaxBytes: number
		recommendedChunkBytes: number
	}
	defaultTier: "free" | "pro" | "business" | "self-hosted" | (string & {})
	limits: TierLimits
	/** Optional features and whether they are configured */
	features: Record<string, boolean>
}
export type PublicHighlight = {
	id: string
	title: string
	description: string
	/** Seconds from the beginning of the video */
	startTime: number
	endTime: number
	/** Its place by score: 1 stands out most */
	rank: number
	/** URL of an HLS playlist with the clip alone */
	manifestUrl: string
	/** URL of the clip as one MP4 file */
	clipUrl: string
	/** URL of the poster image of the clip; null without video */
	posterUrl: string | null
}
/** What a player needs to know about an organization */
export type PublicOrgSettings = {
	primaryColor: string
	/** `auto` follows the preference of the viewer's device */
	theme: "dark" | "light" | "auto" | (string & {})
	/** An absolute URL, which changes with the logo */
	logoUrl: string | null
	/** The color for text on `primaryColor`: black or white, whichever has the higher contrast, which is at least 4.5:1 */
	textOnPrimary: "#000000" | "#ffffff" | (string & {})
	player: PlayerDefaults
	/** The value of the directive `frame-ancestors` in the `Content-Security-Policy` of a page with the player: `*`, or the hosts that may embed it */
	frameAncestors: string
}
/** What viewers may see and do with an asset */
export type PublicSettings = {
	allowDownload: boolean
	showTranscript: boolean
	showChapters: boolean
	showHighlights: boolean
	showComments: boolean
}
export type Reaction = {
	id: number
	reaction: string
}
export type Reactions = {
	/** The number of reactions per emoji, without emojis that nobody used */
	counts: Record<string, number>
	/** The reactions of this session */
	userReactions: ("👍" | "❤️" | "😂" | "😮" | "😢" | "👏" | "🔥" | "🎉" | (string & {}))[]
}
export type Rendition = {
	quality: string
	width: number
	height: number
	bitrateKbps: number
	codec: string
}
export type Rsvp = {
	success: true
	rsvp_status: "going" | "waitlisted" | (string & {})
}
export type SavedView = {
	id: string
	name: string
	/** null selects all assets */
	filter: AssetFilter | null
	sort: "created" | "-created" | "updated" | "-updated" | "title" | "-title" | "duration" | "-duration" | "size" | "-size" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	updatedAt: string
}
export type SearchResult = {
	type: "post"
	id: string
	attributes: Post
} | {
	type: "community_member"
	id: string
	attributes: MemberCard
}
export type SecondFactor = {
	/** null while the account has no second factor */
	since: string | null
	/** Whether an authenticator app is set up */
	totp: boolean
	passkeys: number
	recoveryCodesLeft: number
}
/** What an organization asks of its members */
export type SecuritySettings = {
	/** Whether people need a second factor to act in the organization. Without one they get 403 `second_factor_missing`. API keys, and members of communities in the member API, are not asked for one. */
	requireSecondFactor: boolean
	/** Whether the creation of an API key needs a proof from the last 10 minutes. Otherwise it returns 403 `reauthentication_required`. */
	recentProofForApiKeys: boolean
	membersWithoutSecondFactor: number
}
export type Session = {
	id: string
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	lastSeenAt: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
	userAgent: string
	ip: string
	/** The browser and the system, or the program; null if unknown */
	device: string | null
	place: Place
	/** The superadmin who acts as the user in this organization; null for the user */
	impersonator: {
		email: string
		orgId: string
	} | null
	current: boolean
}
/** The settings of an organization */
export type Settings = {
	primaryColor: string
	/** `auto` follows the preference of the viewer's device */
	theme: "dark" | "light" | "auto" | (string & {})
	/** An absolute URL, which changes with the logo */
	logoUrl: string | null
	player: PlayerDefaults
	/** Hosts whose pages may embed videos: `example.org` is that host, `*.example.org` its subdomains. An empty list allows every page. */
	allowedEmbedDomains: string[]
	analytics: AnalyticsSettings
	encoding: EncodingSettings
}
export type SignedIn = {
	/** Session JWT, valid for 24 hours; renew it with POST /v1/auth/refresh. Empty for pages of the installation, which get a cookie. */
	token: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
	user: User
	/** null if the user belongs to no organization any more */
	org: OrgRef | null
}
export type SignedUp = {
	/** Session JWT, valid for 24 hours; renew it with POST /v1/auth/refresh. Empty for pages of the installation, which get a cookie. */
	token: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
	user: User
	org: OrgRef
}
export type Space = {
	id: number
	spaceGroupId: number | null
	name: string
	slug: string
	spaceType: "basic" | "event" | "image" | "members" | "chat" | "course" | (string & {})
	/** Members see a private or secret space only through an access group */
	visibility: "public" | "private" | "secret" | (string & {})
	position: number
	emoji: string | null
	description: string
	/** The lowest role that may create posts and events; with `nobody`, the space is read-only. Events need the role moderator in any case. Authors may still edit and delete their posts. */
	postPolicy: "everyone" | "moderators" | "admins" | "nobody" | (string & {})
	/** The lowest role that may comment and reply */
	commentPolicy: "everyone" | "moderators" | "admins" | "nobody" | (string & {})
	/** Number of posts that members can see */
	postsCount: number
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	updatedAt: string
}
export type SpaceBookmark = {
	/** The bookmark id */
	id: number
	/** The first 100 characters of the post */
	name: string
	display_type: "post"
	links: {
		/** The post id */
		id: number
		name: string
		display_type: "post"
		url: string
		emoji: null
		custom_emoji_url: null
	}[]
}
export type SpaceGroup = {
	id: number
	name: string
	slug: string
	position: number
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
}
/** What the caller may do in the space */
export type SpacePolicies = {
	can_create_post: boolean
	can_create_event: boolean
	can_create_comment: boolean
}
export type SpaceRef = {
	id: number
	name: string
	slug: string
}
export type Span = {
	id: string
	/** The id of the span that contains this one; null for the upload, processings, and what AI steps need */
	parentId: string | null
	kind: "upload" | "processing" | "wait" | "prepare" | "encode" | "publish" | "extras" | "tasks" | "task" | "attempt" | "ai-step" | (string & {})
	/** `lost`: the machine stopped responding */
	outcome: "waiting" | "running" | "done" | "failed" | "lost" | "cancelled" | "skipped" | (string & {})
	/** A sentence about the span */
	text: string
	/** null if unknown */
	startedAt: string | null
	/** null while it lasts */
	endedAt: string | null
	durationSec: number | null
}
export type StreamToken = {
	token: string
	/** ISO 8601, UTC, milliseconds */
	expires_at: string
}
export type SubtitleTranslation = {
	language: string
	/** The language that it is translated from */
	from: string
	status: "pending" | "processing" | "completed" | "failed" | (string & {})
	/** How much is translated, in percent */
	progress: number
	/** Why it waits or failed */
	reason: string | null
	/** Whether the subtitles that it was translated from were replaced or deleted */
	isStale: boolean
}
export type Subtitles = {
	/** The language as a tag (BCP 47) such as `pt-BR`, or `und` if it is unknown */
	language: string
	/** The name of the language in that language, as menus show it */
	name: string
	/** `transcript` if they were made from the transcript, `upload` if somebody uploaded them, `translation` if a language model translated them */
	source: "transcript" | "upload" | "translation" | (string & {})
}
export type Success = {
	success: true
}
export type SupportBundle = {
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	version: string
	/** Every variable: `set`, `not set`, or the value of a switch, number or choice */
	variables: Record<string, string>
	/** What the Worker is bound to */
	bindings: string[]
	totals: InstallationStats | null
	/** The newest ones; null if they could not be read */
	machines: {
		id: string
		state: "online" | "draining" | "offline" | (string & {})
		paused: boolean
		evicted: boolean
		capabilities: {
			kind: "cpu" | "nvidia" | "vaapi" | "qsv" | "videotoolbox" | (string & {})
			cores: number
			memoryBytes: number
			ffmpegVersion: string
			/** Encoders that encoded a test frame at startup */
			encoders: string[]
			/** Hardware decoders that decoded a test frame at startup */
			decoders?: ("cuda" | "vaapi" | "qsv" | "videotoolbox" | (string & {}))[]
			/** The speech engine, if it recognized a trial sentence at startup */
			speech?: {
				engine: string
				/** `*` stands for every language, and for finding out which one is spoken */
				languages: (string | "*")[]
				/** Seconds of work for a second of speech, measured at startup */
				realTimeFactor: number
			} | null
			/** How many video chunks the machine encodes at once; one other task may run beside them */
			slots: number
		}
		/** ISO 8601, UTC, milliseconds */
		lastSeenAt: string
	}[] | null
	ai: AiStats | null
	/** The newest ones; null if they could not be read */
	deadLetters: {
		queue: string
		type: string
		attempts: number
		/** ISO 8601, UTC, milliseconds */
		createdAt: string
	}[] | null
	/** The newest ones; null if they could not be read */
	backups: Backup[] | null
	/** The newest ones; null if they could not be read */
	assetErrors: {
		message: string
		occurrences: number
		/** ISO 8601, UTC, milliseconds */
		lastSeenAt: string
	}[] | null
	/** The newest ones; null if they could not be read */
	taskFailures: {
		kind: string
		reason: string
		message: string
		/** ISO 8601, UTC, milliseconds */
		createdAt: string
	}[] | null
	/** Operations with the most responses of 500 and above, without 501, since the installation began */
	failedRequests: {
		operation: string
		count: number
	}[] | null
}
export type SuspensionState = {
	orgId: string
	/** Whether a reason other than `billing` applies */
	suspended: boolean
	suspensionReasons: ("abuse" | "billing" | "operator" | (string & {}))[]
}
export type Thumbnail = {
	thumbnailUrl: string
	hasCustomThumbnail: boolean
	thumbnailFrame: ThumbnailFrame | null
}
export type ThumbnailFrame = {
	/** Seconds from the beginning of the video */
	atSec: number
	/** While `processing`, and after `failed`, the earlier thumbnail is shown */
	status: "processing" | "ready" | "failed" | (string & {})
}
export type TierLimits = {
	encodeMinutesPerMonth: number | null
	storageBytes: number | null
	deliveryMinutesPerMonth: number | null
	apiKeys: number | null
	members: number | null
	requestsPerMinute: number | null
}
export type TierOverride = {
	tier: "free" | "pro" | "business" | "self-hosted" | (string & {})
	reason: string
	/** ISO 8601, UTC, milliseconds */
	until: string
}
export type Topic = {
	id: number
	name: string
	slug: string
	posts_count: number
	space_id: number
}
export type TopicRef = {
	id: number
	name: string
	slug: string
}
export type Transcript = {
	language: string | null
	duration: number
	/** The text of all segments */
	text: string
	segments: {
		/** Seconds from the beginning of the video */
		start: number
		end: number
		text: string
		words: {
			word: string
			/** Seconds from the beginning of the video */
			start: number
			end: number
		}[]
		/** Whether the text is probably not what was said; it is left out of the subtitles */
		suspect?: boolean
		id: number
	}[]
}
export type UploadUrl = {
	uploadUrl: string
	/** The key of the source in storage */
	sourceKey: string
	method: "PUT"
	headers: Record<string, string>
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
}
export type User = {
	id: number
	email: string
	name: string
	isSuperadmin: boolean
	hasPassword: boolean
	/** Whether the user has confirmed that they receive mail at `email` */
	emailVerified: boolean
	/** Whether a password or a mailed code alone does not sign the user in */
	hasSecondFactor: boolean
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
}
export type VideoChapter = {
	title: string
	/** Seconds from the beginning of the video */
	startTime: number
	endTime: number
	/** What speaks for the beginning of a chapter that was made from the transcript */
	reasons?: {
		/** How much more the words of each side have in common than those of both sides, in standard deviations */
		words: number
		pauseSec: number
		/** Whether the first sentence announces another topic */
		isAnnounced: boolean
		isShotCut: boolean
	}
}
export type VideoChapters = {
	chapters: VideoChapter[]
	/** When a person last replaced or removed the chapters; null if they were made */
	editedAt: string | null
	/** Whether the chapters were made from an older transcript. They are made again soon. */
	isStale: boolean
}
export type VouchedMember = {
	ssoUserId: string
	name?: string | undefined
	/** An address that nobody proved: nothing is sent to it, and nobody signs in with it */
	email?: string | null | undefined
	avatarUrl?: string | null | undefined
	headline?: string | null | undefined
	bio?: string | null | undefined
	/** Values by field key. The type of the field decides the value: a string for `text`, `textarea` and `url`, a number for `number`, a boolean for `checkbox`, `YYYY-MM-DD` for `date`, an option for `select`, an array of options for `multi_select`. null removes the value of a field that is not required. */
	profileFields?: Record<string, string | number | boolean | string[] | null> | undefined
	/** Access groups to add the member to, without expiry */
	accessGroupIds?: number[] | undefined
}
export type VouchedMemberResult = {
	ssoUserId: string
	/** The membership id; null if there is none */
	memberId: number | null
	status: "created" | "updated" | "refused" | (string & {})
	error?: string
}
export type WebhookAttempt = {
	number: number
	/** The URL to which the request was sent */
	url: string
	/** The body was `event`, with only ids in its `data` if `thin` */
	payload: "full" | "thin" | (string & {})
	/** ISO 8601, UTC, milliseconds */
	startedAt: string
	durationMs: number
	status: number | null
	/** Why the attempt failed; null if it succeeded */
	problem: string | null
	/** The first KB of the response body */
	responseText: string | null
}
export type WebhookDelivery = {
	eventId: string
	endpointId: string
	type: EventType
	sequence: number
	/** `failed` after the last attempt: nothing more is sent unless you retry */
	status: "pending" | "delivered" | "failed" | (string & {})
	attempts: number
	/** The status of the last response; null if there was none */
	lastStatus: number | null
	/** When the delivery is due. The endpoint may hold it back for longer: see its own `nextAttemptAt` */
	nextAttemptAt: string | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	endedAt: string | null
}
export type WebhookDeliveryLog = {
	eventId: string
	endpointId: string
	type: EventType
	sequence: number
	/** `failed` after the last attempt: nothing more is sent unless you retry */
	status: "pending" | "delivered" | "failed" | (string & {})
	attempts: number
	/** The status of the last response; null if there was none */
	lastStatus: number | null
	/** When the delivery is due. The endpoint may hold it back for longer: see its own `nextAttemptAt` */
	nextAttemptAt: string | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	endedAt: string | null
	attemptLog: WebhookAttempt[]
}
export type WebhookEndpoint = {
	id: string
	url: string
	/** The event types to deliver; null for all, including types that are added later */
	types: EventType[] | null
	/** `thin` delivers only ids in `data`; fetch the rest from the API */
	payload: "full" | "thin" | (string & {})
	/** `resource` delivers the events of one asset, comment, member, post or event in order. A later one waits until the earlier ones are delivered or have failed for good */
	order: "none" | "resource" | (string & {})
	/** How many requests may run at a time */
	maxInFlight: number
	/** `paused` by you: events wait. `disabled` by the service or the receiver: events are not delivered; see `statusReason` */
	status: "enabled" | "paused" | "disabled" | (string & {})
	statusReason: string | null
	/** Whether this is the endpoint of `/webhooks/config` */
	isDefault: boolean
	failingSince: string | null
	lastSuccessAt: string | null
	lastFailureAt: string | null
	/** Set while deliveries are held back because the endpoint fails or asked for a break */
	nextAttemptAt: string | null
	/** Until then, the former secret signs as well */
	previousSecretEndsAt: string | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	updatedAt: string
}
export type WebhookEndpointWithSecret = {
	id: string
	url: string
	/** The event types to deliver; null for all, including types that are added later */
	types: EventType[] | null
	/** `thin` delivers only ids in `data`; fetch the rest from the API */
	payload: "full" | "thin" | (string & {})
	/** `resource` delivers the events of one asset, comment, member, post or event in order. A later one waits until the earlier ones are delivered or have failed for good */
	order: "none" | "resource" | (string & {})
	/** How many requests may run at a time */
	maxInFlight: number
	/** `paused` by you: events wait. `disabled` by the service or the receiver: events are not delivered; see `statusReason` */
	status: "enabled" | "paused" | "disabled" | (string & {})
	statusReason: string | null
	/** Whether this is the endpoint of `/webhooks/config` */
	isDefault: boolean
	failingSince: string | null
	lastSuccessAt: string | null
	lastFailureAt: string | null
	/** Set while deliveries are held back because the endpoint fails or asked for a break */
	nextAttemptAt: string | null
	/** Until then, the former secret signs as well */
	previousSecretEndsAt: string | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	updatedAt: string
	/** The signing secret, shown only here: `whsec_` and base64, as in Standard Webhooks */
	secret: string
}
export type WebhookFailure = {
	endpointId: string
	orgId: string
	/** Of the URL, whose path and query may be secret */
	origin: string
	status: "enabled" | "paused" | "disabled" | (string & {})
	statusReason: string | null
	/** Failed attempts since the last success */
	failures: number
	/** At most 1000 */
	failedDeliveries: number
	/** At most 1000 */
	pendingDeliveries: number
	/** ISO 8601, UTC, milliseconds */
	failingSince: string
	lastSuccessAt: string | null
	lastFailureAt: string | null
	nextAttemptAt: string | null
}
export type WebhookTestResult = {
	/** Whether the receiver returned a status from 200 to 299 */
	delivered: boolean
	status: number | null
	durationMs: number
	problem: string | null
	/** The first KB of the response body */
	responseText: string | null
}
export type WorkerStats = {
	id: string
	/** null for a machine that was deleted */
	name: string | null
	running: number
	done24h: number
	failures24h: number
	workSec24h: number
	mediaSec24h: number
	/** Seconds of video processed per second of work; null if nothing was processed */
	speed: number | null
	/** How long at least one task ran that was then completed */
	busySec24h: number
	hourlyPrice: number | null
	/** Minutes of video that were encoded, counted once for each codec */
	encodeMinutes24h: number
	/** Seconds of video encoded per second of encoding */
	realTimeFactor: number | null
	/** From the hourly prices of machines and the time in which they worked; null without a price or encoded video */
	costPerEncodeMinute: number | null
}
export type EventEnvelope<Type extends string, Data> = {
	/** The same in every delivery of the event; use it to ignore repetitions */
	id: string
	timestamp: string
	/** Counts the events of the organization without gaps */
	sequence: number
	type: Type
	data: Data
}
/** An asset was created; it has no source yet */
export type AssetCreatedEvent = EventEnvelope<'asset.created', {
	assetId: string
	playbackId: string
	title: string
} | {
	assetId: string
	playbackId: string
}>
/** The file of a direct upload is complete and has become an asset */
export type UploadAssetCreatedEvent = EventEnvelope<'upload.asset_created', {
	uploadId: string
	assetId: string
	playbackId: string
}>
/** The source of an asset is stored */
export type AssetUploadedEvent = EventEnvelope<'asset.uploaded', {
	assetId: string
	playbackId: string
	title: string
} | {
	assetId: string
	playbackId: string
}>
/** Processing of an asset was requested */
export type AssetProcessingEvent = EventEnvelope<'asset.processing', {
	assetId: string
	playbackId: string
	title: string
} | {
	assetId: string
	playbackId: string
}>
/** An asset can be played. With early playback, more renditions follow until `asset.ready` */
export type AssetPlayableEvent = EventEnvelope<'asset.playable', {
	assetId: string
	playbackId: string
	title: string
	durationSec: number
} | {
	assetId: string
	playbackId: string
}>
/** A rendition of an asset can be played */
export type AssetRenditionReadyEvent = EventEnvelope<'asset.rendition.ready', {
	assetId: string
	playbackId: string
	rendition: Rendition
} | {
	assetId: string
	playbackId: string
}>
/** All renditions that an asset needs for playback are ready. HEVC and AV1 may still follow */
export type AssetReadyEvent = EventEnvelope<'asset.ready', {
	assetId: string
	playbackId: string
	title: string
	durationSec: number
	renditions: Rendition[]
} | {
	assetId: string
	playbackId: string
}>
/** Processing of an asset failed */
export type AssetErrorEvent = EventEnvelope<'asset.error', {
	assetId: string
	playbackId: string
	title: string
	errorMessage: string
} | {
	assetId: string
	playbackId: string
}>
/** Processing of an asset was cancelled. An asset that was playable is still playable */
export type AssetProcessingCancelledEvent = EventEnvelope<'asset.processing_cancelled', {
	assetId: string
	playbackId: string
	title: string
} | {
	assetId: string
	playbackId: string
}>
/** An asset was moved to the trash */
export type AssetTrashedEvent = EventEnvelope<'asset.trashed', {
	assetId: string
	playbackId: string
	title: string
} | {
	assetId: string
	playbackId: string
}>
/** An asset was moved back from the trash */
export type AssetRestoredEvent = EventEnvelope<'asset.restored', {
	assetId: string
	playbackId: string
	title: string
} | {
	assetId: string
	playbackId: string
}>
/** An asset was deleted */
export type AssetDeletedEvent = EventEnvelope<'asset.deleted', {
	assetId: string
	playbackId: string
	title: string
} | {
	assetId: string
	playbackId: string
}>
/** Transcript, subtitles, chapters and highlights of an asset are done, or were skipped */
export type AiCompletedEvent = EventEnvelope<'ai.completed', {
	assetId: string
	playbackId: string
	title: string
} | {
	assetId: string
	playbackId: string
}>
/** The transcript, subtitles, chapters or highlights of an asset failed; the asset still plays */
export type AiFailedEvent = EventEnvelope<'ai.failed', {
	assetId: string
	playbackId: string
	title: string
} | {
	assetId: string
	playbackId: string
}>
/** A translation of subtitles that was requested is a track of the asset */
export type SubtitlesTranslatedEvent = EventEnvelope<'subtitles.translated', {
	assetId: string
	/** A language tag (BCP 47) such as `en` or `pt-BR` */
	language: string
} | {
	assetId: string
}>
/** A translation of subtitles failed; the list of subtitles says why */
export type SubtitlesTranslationFailedEvent = EventEnvelope<'subtitles.translation_failed', {
	assetId: string
	/** A language tag (BCP 47) such as `en` or `pt-BR` */
	language: string
} | {
	assetId: string
}>
/** A viewer commented on a video */
export type CommentCreatedEvent = EventEnvelope<'comment.created', {
	assetId: string
	playbackId: string
	commentId: string
}>
/** A comment on a video was deleted */
export type CommentDeletedEvent = EventEnvelope<'comment.deleted', {
	assetId: string
	playbackId: string
	commentId: string
}>
/** A viewer reacted to a video */
export type ReactionAddedEvent = EventEnvelope<'reaction.added', {
	assetId: string
	playbackId: string
	emoji: "👍" | "❤️" | "😂" | "😮" | "😢" | "👏" | "🔥" | "🎉" | (string & {})
} | {
	assetId: string
	playbackId: string
}>
/** A person joined a community */
export type MemberJoinedEvent = EventEnvelope<'member.joined', {
	communityId: number
	memberId: number
}>
/** A member left a community, or was removed or banned */
export type MemberLeftEvent = EventEnvelope<'member.left', {
	communityId: number
	memberId: number
}>
/** A moderator banned a member */
export type MemberBannedEvent = EventEnvelope<'member.banned', {
	communityId: number
	memberId: number
}>
/** A person took a managed membership over */
export type MemberMergedEvent = EventEnvelope<'member.merged', {
	communityId: number
	memberId: number
}>
/** A post was published in a community */
export type PostCreatedEvent = EventEnvelope<'post.created', {
	communityId: number
	postId: number
}>
/** A post was changed */
export type PostUpdatedEvent = EventEnvelope<'post.updated', {
	communityId: number
	postId: number
}>
/** A post was deleted */
export type PostDeletedEvent = EventEnvelope<'post.deleted', {
	communityId: number
	postId: number
}>
/** A post was hidden */
export type PostHiddenEvent = EventEnvelope<'post.hidden', {
	communityId: number
	postId: number
}>
/** A hidden post was restored */
export type PostRestoredEvent = EventEnvelope<'post.restored', {
	communityId: number
	postId: number
}>
/** A post got a comment */
export type PostCommentCreatedEvent = EventEnvelope<'post_comment.created', {
	communityId: number
	postId: number
	commentId: number
}>
/** A comment was changed */
export type PostCommentUpdatedEvent = EventEnvelope<'post_comment.updated', {
	communityId: number
	postId: number
	commentId: number
}>
/** A comment was deleted */
export type PostCommentDeletedEvent = EventEnvelope<'post_comment.deleted', {
	communityId: number
	postId: number
	commentId: number
}>
/** A comment and its replies were hidden */
export type PostCommentHiddenEvent = EventEnvelope<'post_comment.hidden', {
	communityId: number
	postId: number
	commentId: number
}>
/** A comment and its replies were restored */
export type PostCommentRestoredEvent = EventEnvelope<'post_comment.restored', {
	communityId: number
	postId: number
	commentId: number
}>
/** An event was created in a community */
export type EventCreatedEvent = EventEnvelope<'event.created', {
	communityId: number
	eventId: number
}>
/** An event was changed */
export type EventUpdatedEvent = EventEnvelope<'event.updated', {
	communityId: number
	eventId: number
}>
/** An event was deleted */
export type EventDeletedEvent = EventEnvelope<'event.deleted', {
	communityId: number
	eventId: number
}>
/** A member got a place at an event or on its waitlist */
export type RsvpChangedEvent = EventEnvelope<'rsvp.changed', {
	communityId: number
	eventId: number
	memberId: number
	status: "going" | "waitlisted" | (string & {})
} | {
	communityId: number
	eventId: number
	memberId: number
}>
/** A member cancelled an RSVP */
export type RsvpDeletedEvent = EventEnvelope<'rsvp.deleted', {
	communityId: number
	eventId: number
	memberId: number
}>
/** A member flagged a post or comment */
export type FlagCreatedEvent = EventEnvelope<'flag.created', {
	communityId: number
	flagId: number
	postId: number | null
	commentId: number | null
}>
/** An entry was added to the audit log of the organization, at most two minutes ago */
export type AuditRecordedEvent = EventEnvelope<'audit.recorded', {
	auditEntryId: string
	action: AuditAction
	targetKind: "org" | "user" | "invitation" | "api_key" | "webhook" | "asset" | "community" | "community_member" | "community_invitation" | "invitation_link" | "identity_provider" | "access_group" | "space" | "profile_field" | "machine" | "deletion_request" | "asset_errors" | "dead_letter" | "impersonation" | "device_request" | "backup" | (string & {}) | null
	targetId: string | null
} | {
	auditEntryId: string
	targetId: string | null
}>
/** A test that an administrator requested; its sequence is 0 */
export type WebhookTestEvent = EventEnvelope<'webhook.test', {
	message: string
}>
/** An event, as endpoints receive it and `events.read` returns it. A newer server may send other types: ignore them. */
export type WebhookEvent =
	| AssetCreatedEvent
	| UploadAssetCreatedEvent
	| AssetUploadedEvent
	| AssetProcessingEvent
	| AssetPlayableEvent
	| AssetRenditionReadyEvent
	| AssetReadyEvent
	| AssetErrorEvent
	| AssetProcessingCancelledEvent
	| AssetTrashedEvent
	| AssetRestoredEvent
	| AssetDeletedEvent
	| AiCompletedEvent
	| AiFailedEvent
	| SubtitlesTranslatedEvent
	| SubtitlesTranslationFailedEvent
	| CommentCreatedEvent
	| CommentDeletedEvent
	| ReactionAddedEvent
	| MemberJoinedEvent
	| MemberLeftEvent
	| MemberBannedEvent
	| MemberMergedEvent
	| PostCreatedEvent
	| PostUpdatedEvent
	| PostDeletedEvent
	| PostHiddenEvent
	| PostRestoredEvent
	| PostCommentCreatedEvent
	| PostCommentUpdatedEvent
	| PostCommentDeletedEvent
	| PostCommentHiddenEvent
	| PostCommentRestoredEvent
	| EventCreatedEvent
	| EventUpdatedEvent
	| EventDeletedEvent
	| RsvpChangedEvent
	| RsvpDeletedEvent
	| FlagCreatedEvent
	| AuditRecordedEvent
	| WebhookTestEvent
export type CancelAccountDeletionInput = {
	token: string
}
export type CancelAccountDeletionOutput = {
	detail: string
}
/** Cancel the deletion of the account */
export const cancelAccountDeletion: Operation<CancelAccountDeletionInput, CancelAccountDeletionOutput> = ['POST /api/users/account/cancel-deletion/', 17]
/** Export the personal data of the account as a zip of JSON files */
export const exportAccount: Operation<Record<string, never>, Response> = ['GET /api/users/account/export/', 64]
export type GetDeletionStatusOutput = {
	has_pending_deletion: false
} | PendingDeletion
/** Get the status of a pending account deletion */
export const getDeletionStatus: Operation<Record<string, never>, GetDeletionStatusOutput> = ['GET /api/users/account/deletion-status/']
export type RequestAccountDeletionInput = {
	/** The email address of the account, typed again to confirm */
	confirm_email: string
	/** Whether to delete posts and comments too */
	delete_content?: boolean | undefined
}
/** Schedule the account for deletion in 30 days */
export const requestAccountDeletion: Operation<RequestAccountDeletionInput, DeletionStatus> = ['POST /api/users/account/request-deletion/', 17]
export type ListAssetErrorsInput = {
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the errors of assets, grouped by what their messages have in common */
export const listAssetErrors: Operation<ListAssetErrorsInput, AssetErrorGroup[], AssetErrorGroup> = ['GET /v1/admin/asset-errors', 6]
export type ListAssetsWithErrorInput = {
	fingerprint: string
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the assets that have an error of a group, newest first */
export const listAssetsWithError: Operation<ListAssetsWithErrorInput, AssetWithError[], AssetWithError> = ['GET /v1/admin/asset-errors/{fingerprint}/assets', 6]
export type RetryAssetErrorsInput = {
	fingerprint: string
} & {
	limit?: number | undefined
	after?: string | undefined
}
export type RetryAssetErrorsOutput = {
	retried: number
	skipped: {
		assetId: string
		reason: "validation" | "malformed" | "bad_credentials_mix" | "authorization_pending" | "slow_down" | "access_denied" | "expired_token" | "invalid_grant" | "invalid_scope" | "unsupported_grant_type" | "unauthorized" | "no_account" | "second_factor_required" | "forbidden" | "reauthentication_required" | "second_factor_missing" | "org_suspended" | "plan_limit" | "registration_closed" | "email_unverified" | "account_locked" | "not_found" | "method_not_allowed" | "request_timeout" | "conflict" | "request_in_flight" | "gone" | "precondition_failed" | "version_unsupported" | "too_large" | "unsupported_media_type" | "idempotency_mismatch" | "unprocessable" | "locked" | "too_many_requests" | "checksum_mismatch" | "internal" | "not_configured" | "format_unsupported" | "unavailable" | "insufficient_storage" | (string & {})
	}[]
	next: string | null
}
/** Process the assets of a group again */
export const retryAssetErrors: Operation<RetryAssetErrorsInput, RetryAssetErrorsOutput> = ['POST /v1/admin/asset-errors/{fingerprint}/retry', 19]
export type ListAuditChainInput = {
	/** Position of the last row received */
	after?: number | undefined
	limit?: number | undefined
}
/** List the rows of the audit log with their hash chain, oldest first */
export const listAuditChain: Operation<ListAuditChainInput, AuditChainPage> = ['GET /v1/admin/audit-log/chain', 2]
export type GetInstallationAuditLogCsvInput = {
	action?: AuditActionInput | undefined
	/** Id of a user, API key or machine */
	actor?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	since?: string | undefined
	/** Excluded */
	until?: string | undefined
	/** Only entries of this organization */
	orgId?: string | undefined
	/** `installation` leaves out the entries of organizations */
	scope?: "all" | "installation" | undefined
}
/** Download the audit log of the installation and of its organizations */
export const getInstallationAuditLogCsv: Operation<GetInstallationAuditLogCsvInput, Response> = ['GET /v1/admin/audit-log/csv', 64]
export type ListInstallationAuditLogInput = {
	limit?: number | undefined
	cursor?: string | undefined
	action?: AuditActionInput | undefined
	/** Id of a user, API key or machine */
	actor?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	since?: string | undefined
	/** Excluded */
	until?: string | undefined
	/** Only entries of this organization */
	orgId?: string | undefined
	/** `installation` leaves out the entries of organizations */
	scope?: "all" | "installation" | undefined
}
/** List the audit log of the installation and of its organizations */
export const listInstallationAuditLog: Operation<ListInstallationAuditLogInput, AuditEntry[], AuditEntry> = ['GET /v1/admin/audit-log', 6]
export type CreateBackupDownloadInput = {
	backupId: string
}
export type CreateBackupDownloadOutput = {
	/** Valid for 15 minutes */
	downloadUrl: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
	filename: string
}
/** Get the download URL of a backup */
export const createBackupDownload: Operation<CreateBackupDownloadInput, CreateBackupDownloadOutput> = ['GET /v1/backups/{backupId}/download', 2]
export type DeleteBackupInput = {
	backupId: string
}
export type DeleteBackupOutput = {
	id: string
	deleted: true
}
/** Delete a backup */
export const deleteBackup: Operation<DeleteBackupInput, DeleteBackupOutput> = ['DELETE /v1/backups/{backupId}', 2]
export type ListBackupsInput = {
	limit?: number | undefined
	cursor?: string | undefined
}
/** List backups of the database, newest first */
export const listBackups: Operation<ListBackupsInput, Backup[], Backup> = ['GET /v1/backups', 6]
export type RunBackupInput = {
	/** `migration`: kept as the last backup of its schema */
	reason?: "requested" | "migration" | undefined
}
/** Start a backup of the database */
export const runBackup: Operation<RunBackupInput, Backup> = ['POST /v1/backups/run', 19]
export type VerifyBackupInput = {
	backupId: string
}
/** Start a drill of a backup */
export const verifyBackup: Operation<VerifyBackupInput, Backup> = ['POST /v1/backups/{backupId}/verify', 3]
export type DiscardDeadLetterInput = {
	deadLetterId: string
}
export type DiscardDeadLetterOutput = {
	id: string
	deleted: true
}
/** Delete a message that failed for good */
export const discardDeadLetter: Operation<DiscardDeadLetterInput, DiscardDeadLetterOutput> = ['DELETE /v1/admin/dead-letters/{deadLetterId}', 2]
export type ListDeadLettersInput = {
	limit?: number | undefined
	cursor?: string | undefined
}
/** List queue messages that failed for good, newest first */
export const listDeadLetters: Operation<ListDeadLettersInput, DeadLetter[], DeadLetter> = ['GET /v1/admin/dead-letters', 6]
export type RetryDeadLetterInput = {
	deadLetterId: string
}
/** Send a message to its queue again */
export const retryDeadLetter: Operation<RetryDeadLetterInput, DeadLetter> = ['POST /v1/admin/dead-letters/{deadLetterId}/retry', 3]
export type ExpediteDeletionInput = {
	email: string
} | {
	userId: number
}
export type ExpediteDeletionOutput = {
	requestId: string
	userId: number
	created: boolean
}
/** Delete an account now, without the grace period */
export const expediteDeletion: Operation<ExpediteDeletionInput, ExpediteDeletionOutput> = ['POST /v1/admin/account-deletions/expedite', 19]
/** Get the calls of each provider for AI in the last 24 hours */
export const getAiStats: Operation<Record<string, never>, AiStats> = ['GET /v1/stats/ai', 2]
export type GetDiagnosticsInput = {
	bundle?: "1" | undefined
}
/** Get the status of database, storage, queue, mail and machines */
export const getDiagnostics: Operation<GetDiagnosticsInput, Diagnostics> = ['GET /v1/diagnostics', 2]
/** Get the queue of the fleet and its work in the last 24 hours */
export const getFleetStats: Operation<Record<string, never>, FleetStats> = ['GET /v1/stats/fleet', 2]
/** Get the totals of the installation */
export const getInstallationStats: Operation<Record<string, never>, InstallationStats | null> = ['GET /v1/stats/installation', 2]
/** List the work of each machine in the last 24 hours */
export const getWorkerStats: Operation<Record<string, never>, WorkerStats[]> = ['GET /v1/stats/workers', 2]
export type ImpersonateInput = {
	userId: number
	orgId: string
	/** Shown to the owners of the organization */
	reason: string
	/** The number of the support case, shown to the owners, too */
	caseNumber?: string | null | undefined
	write?: boolean | undefined
	minutes?: number | undefined
}
export type ImpersonateOutput = {
	token: string
	impersonation: Impersonation
}
/** See an organization as one of its members does */
export const impersonate: Operation<ImpersonateInput, ImpersonateOutput> = ['POST /v1/admin/impersonate', 19]
export type EvictMachineInput = {
	machineId: string
}
export type EvictMachineOutput = {
	id: string
	evicted: true
	/** Running tasks that went back to the queue */
	tasksReturned: number
}
/** Evict a machine */
export const evictMachine: Operation<EvictMachineInput, EvictMachineOutput> = ['POST /v1/diagnostics/workers/{machineId}/evict', 3]
export type ListMachinesInput = {
	limit?: number | undefined
	cursor?: string | undefined
}
/** List transcoding machines, newest first */
export const listMachines: Operation<ListMachinesInput, Machine[], Machine> = ['GET /v1/diagnostics/workers', 6]
export type PauseMachineInput = {
	machineId: string
}
export type PauseMachineOutput = {
	id: string
	paused: true
}
/** Pause a machine */
export const pauseMachine: Operation<PauseMachineInput, PauseMachineOutput> = ['POST /v1/diagnostics/workers/{machineId}/pause', 3]
export type ReadmitMachineInput = {
	machineId: string
}
export type ReadmitMachineOutput = {
	id: string
	evicted: false
}
/** Allow an evicted machine to register again */
export const readmitMachine: Operation<ReadmitMachineInput, ReadmitMachineOutput> = ['POST /v1/diagnostics/workers/{machineId}/readmit', 3]
export type SetMachinePriceInput = {
	machineId: string
} & {
	hourlyPrice: number | null
}
export type SetMachinePriceOutput = {
	id: string
	hourlyPrice: number | null
}
/** Set what an hour of a machine costs */
export const setMachinePrice: Operation<SetMachinePriceInput, SetMachinePriceOutput> = ['PUT /v1/diagnostics/workers/{machineId}/price', 18]
export type SignOffOutdatedMachinesOutput = {
	machines: number
	/** Running tasks that went back to the queue */
	tasksReturned: number
}
/** Sign off machines that registered with an earlier FLEET_TOKEN */
export const signOffOutdatedMachines: Operation<Record<string, never>, SignOffOutdatedMachinesOutput> = ['POST /v1/diagnostics/workers/sign-off-outdated', 3]
export type StartMachineInput = {
	machineId: string
}
export type StartMachineOutput = {
	id: string
	woken: true
	by: "socket" | "hook" | "poll" | (string & {})
	/** Whether the machine was paused until now */
	resumed: boolean
}
/** Start a machine, or end its pause */
export const startMachine: Operation<StartMachineInput, StartMachineOutput> = ['POST /v1/diagnostics/workers/{machineId}/start', 3]
export type GetAnyOrgInput = {
	orgId: string
}
/** Get an organization with its usage and owners */
export const getAnyOrg: Operation<GetAnyOrgInput, AdminOrgDetail> = ['GET /v1/admin/orgs/{orgId}', 2]
export type ListAllOrgsInput = {
	limit?: number | undefined
	cursor?: string | undefined
	q?: string | undefined
	/** The tier whose limits apply */
	tier?: "free" | "pro" | "business" | "self-hosted" | undefined
	state?: "active" | "suspended" | undefined
	/** Only organizations with this reason; `billing` alone does not make them `suspended` */
	suspensionReason?: "abuse" | "billing" | "operator" | undefined
}
/** List the organizations of the installation, newest first */
export const listAllOrgs: Operation<ListAllOrgsInput, AdminOrg[], AdminOrg> = ['GET /v1/admin/orgs', 6]
export type ListAssetsOfOrgInput = {
	orgId: string
	limit?: number | undefined
	cursor?: string | undefined
	status?: "created" | "uploaded" | "queued" | "processing" | "ready" | "error" | undefined
}
/** List the assets of any organization, newest first */
export const listAssetsOfOrg: Operation<ListAssetsOfOrgInput, AssetSummary[], AssetSummary> = ['GET /v1/admin/orgs/{orgId}/assets', 6]
export type SuspendOrgInput = {
	orgId: string
} & {
	reason: "abuse" | "billing" | "operator"
}
/** Suspend an organization for a reason */
export const suspendOrg: Operation<SuspendOrgInput, SuspensionState> = ['POST /v1/admin/orgs/{orgId}/suspend', 19]
export type UnsuspendOrgInput = {
	orgId: string
} & {
	reason: "abuse" | "billing" | "operator"
}
/** Lift one reason for which an organization is suspended */
export const unsuspendOrg: Operation<UnsuspendOrgInput, SuspensionState> = ['POST /v1/admin/orgs/{orgId}/unsuspend', 19]
export type UpdateOrgTierInput = {
	orgId: string
} & ({
	tier: "free" | "pro" | "business" | "self-hosted"
	reason: string
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	until: string
} | {
	tier: null
})
/** Give an organization another tier until a date */
export const updateOrgTier: Operation<UpdateOrgTierInput, AdminOrg> = ['PATCH /v1/admin/orgs/{orgId}/tier', 18]
export type ReplayErasuresInput = {
	cursor?: string | null | undefined
}
export type ReplayErasuresOutput = {
	/** Number of ledger entries on this page */
	read: number
	/** Number of users who exist again because of the backup and are being deleted */
	erasing: number
	cursor: string | null
}
/** Repeat account deletions after restoring a backup */
export const replayErasures: Operation<ReplayErasuresInput, ReplayErasuresOutput> = ['POST /v1/admin/erasures/replay', 19]
export type ResealSecretsInput = {
	cursor?: string | null | undefined
}
export type ResealSecretsOutput = {
	/** Rows and backups of this page that were sealed again under the current secret */
	resealed: number
	/** Rows and backups that neither AUTH_SECRET nor AUTH_SECRET_PREVIOUS can decrypt */
	lost: number
	cursor: string | null
}
/** Encrypt stored secrets again under the current AUTH_SECRET */
export const resealSecrets: Operation<ResealSecretsInput, ResealSecretsOutput> = ['POST /v1/admin/secrets/reseal', 19]
export type ResetSecondFactorInput = {
	userId: number
}
export type ResetSecondFactorOutput = {
	reset: true
}
/** Remove the second factors of a user who lost them */
export const resetSecondFactor: Operation<ResetSecondFactorInput, ResetSecondFactorOutput> = ['DELETE /v1/admin/users/{userId}/second-factor', 2]
export type DemoteUserInput = {
	userId: number
}
/** Take the rights of a superadmin from an account */
export const demoteUser: Operation<DemoteUserInput, AdminUser> = ['DELETE /v1/admin/users/{userId}/superadmin', 2]
export type EndUserSessionsInput = {
	userId: number
}
export type EndUserSessionsOutput = {
	ended: number
}
/** End every session and member token of an account */
export const endUserSessions: Operation<EndUserSessionsInput, EndUserSessionsOutput> = ['DELETE /v1/admin/users/{userId}/sessions', 2]
export type GetUserInput = {
	userId: number
}
/** Get an account with its sessions and organizations */
export const getUser: Operation<GetUserInput, AdminUserDetail> = ['GET /v1/admin/users/{userId}', 2]
export type ListUsersInput = {
	limit?: number | undefined
	cursor?: string | undefined
	q?: string | undefined
	only?: "superadmins" | "locked" | undefined
}
/** List the people of the installation, newest first */
export const listUsers: Operation<ListUsersInput, AdminUser[], AdminUser> = ['GET /v1/admin/users', 6]
export type LockUserInput = {
	userId: number
}
/** Lock an account */
export const lockUser: Operation<LockUserInput, AdminUser> = ['POST /v1/admin/users/{userId}/lock', 3]
export type PromoteUserInput = {
	userId: number
}
/** Make an account a superadmin */
export const promoteUser: Operation<PromoteUserInput, AdminUser> = ['PUT /v1/admin/users/{userId}/superadmin', 2]
export type UnlockUserInput = {
	userId: number
}
/** Unlock an account */
export const unlockUser: Operation<UnlockUserInput, AdminUser> = ['POST /v1/admin/users/{userId}/unlock', 3]
export type ListWebhookFailuresInput = {
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the webhook endpoints that fail, the newest failure first */
export const listWebhookFailures: Operation<ListWebhookFailuresInput, WebhookFailure[], WebhookFailure> = ['GET /v1/admin/webhook-failures', 6]
export type RecoverWebhookFailuresInput = {
	endpointId: string
} & {
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	since?: string | undefined
	after?: number | undefined
	enable?: boolean | undefined
}
export type RecoverWebhookFailuresOutput = {
	deliveries: number
	/** ISO 8601, UTC, milliseconds */
	since: string
	next: number | null
}
/** Deliver again what an endpoint missed */
export const recoverWebhookFailures: Operation<RecoverWebhookFailuresInput, RecoverWebhookFailuresOutput> = ['POST /v1/admin/webhook-failures/{endpointId}/recover', 19]
export type GetAssetAnalyticsCsvInput = {
	assetId: string
	period?: "24h" | "7d" | "30d" | "90d" | "all" | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	from?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	to?: string | undefined
	granularity?: "hour" | "day" | undefined
	of?: "series" | "totals" | "countries" | "devices" | "browsers" | "referrers" | "players" | "renditions" | "errors" | "hours" | "retention" | undefined
}
/** Download a table of the analytics of an asset */
export const getAssetAnalyticsCsv: Operation<GetAssetAnalyticsCsvInput, Response> = ['GET /v1/assets/{assetId}/analytics/csv', 64]
export type GetLiveCountInput = {
	assetId: string
}
/** Get the number of live viewers of an asset */
export const getLiveCount: Operation<GetLiveCountInput, LiveCount> = ['GET /v1/assets/{assetId}/live-count', 2]
export type GetAssetAnalyticsInput = {
	assetId: string
	period?: "24h" | "7d" | "30d" | "90d" | "all" | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	from?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	to?: string | undefined
	granularity?: "hour" | "day" | undefined
}
/** Get the analytics of an asset */
export const getAssetAnalytics: Operation<GetAssetAnalyticsInput, AssetAnalytics> = ['GET /v1/assets/{assetId}/analytics', 2]
export type GetAnalyticsOverviewInput = {
	period?: "24h" | "7d" | "30d" | "90d" | "all" | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	from?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	to?: string | undefined
	granularity?: "hour" | "day" | undefined
}
/** Get the analytics of all videos of the organization */
export const getAnalyticsOverview: Operation<GetAnalyticsOverviewInput, AnalyticsOverview> = ['GET /v1/analytics/overview', 2]
export type GetAnalyticsOverviewCsvInput = {
	period?: "24h" | "7d" | "30d" | "90d" | "all" | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	from?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	to?: string | undefined
	granularity?: "hour" | "day" | undefined
	of?: "series" | "totals" | "countries" | "devices" | "browsers" | "referrers" | "players" | "renditions" | "errors" | "hours" | "videos" | undefined
}
/** Download a table of the overview of the organization */
export const getAnalyticsOverviewCsv: Operation<GetAnalyticsOverviewCsvInput, Response> = ['GET /v1/analytics/overview/csv', 64]
export type GetPlaybackSessionInput = {
	assetId: string
	/** The id of a session, or a report id */
	sessionId: string
}
export type GetPlaybackSessionOutput = {
	sessions: PlaybackSessionTimeline[]
}
/** Get the time line of a playback session */
export const getPlaybackSession: Operation<GetPlaybackSessionInput, GetPlaybackSessionOutput> = ['GET /v1/assets/{assetId}/sessions/{sessionId}', 2]
export type SendPlayerEventsInput = {
	/** A playback token; required if the asset is `signed` */
	token?: string | undefined
} & {
	events: (PlayerEventInput | unknown)[]
	/** A playback token; required if the asset is `signed` */
	viewerToken?: string | undefined
}
export type SendPlayerEventsOutput = {
	accepted: number
	rejected: number
	problems: {
		index: number
		/** `session_over`: the session has ended, or its token is no longer valid; start a new one */
		code: "invalid" | "not_found" | "playback_token_required" | "session_over" | (string & {})
		message: string
	}[]
	sessions: {
		sessionId: string
		token: string
		nextBeatMs: number
		live: number | null
	}[]
}
/** Report events of a player */
export const sendPlayerEvents: Operation<SendPlayerEventsInput, SendPlayerEventsOutput> = ['POST /v1/analytics/events', 18, 'token']
export type StreamLiveCountInput = {
	assetId: string
}
/** Stream the number of live viewers of an asset as server-sent events */
export const streamLiveCount: Operation<StreamLiveCountInput, Response, ServerSentEvent> = ['GET /v1/assets/{assetId}/live-stream', 128]
export type CreateApiKeyInput = {
	orgId: string
} & {
	name: string
	scopes?: ("read" | "write" | "admin" | "headless:auth" | "members:write")[] | undefined
	expiresAt?: string | null | undefined
}
/** Create an API key */
export const createApiKey: Operation<CreateApiKeyInput, NewApiKey> = ['POST /v1/orgs/{orgId}/api-keys', 19]
export type DeleteApiKeyInput = {
	orgId: string
	keyId: string
}
export type DeleteApiKeyOutput = {
	id: string
	deleted: true
}
/** Delete an API key, which stops working at once */
export const deleteApiKey: Operation<DeleteApiKeyInput, DeleteApiKeyOutput> = ['DELETE /v1/orgs/{orgId}/api-keys/{keyId}', 2]
export type ListApiKeysInput = {
	orgId: string
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the API keys of an organization, newest first */
export const listApiKeys: Operation<ListApiKeysInput, ApiKey[], ApiKey> = ['GET /v1/orgs/{orgId}/api-keys', 6]
export type CancelJobInput = {
	jobId: string
}
/** Cancel a job that has not ended */
export const cancelJob: Operation<CancelJobInput, Job> = ['POST /v1/jobs/{jobId}/cancel', 2]
export type ChangeAssetsInput = {
	assetIds: string[]
	action: BulkActionInput
	/** `cursor` of the previous response */
	cursor?: string | undefined
} | {
	filter: AssetFilterInput
	action: BulkActionInput
	/** `cursor` of the previous response */
	cursor?: string | undefined
}
export type ChangeAssetsOutput = {
	results: BulkResult[]
	/** null if nothing is left */
	cursor: string | null
}
/** Change, process or delete many assets */
export const changeAssets: Operation<ChangeAssetsInput, ChangeAssetsOutput> = ['POST /v1/assets/bulk', 19]
export type CountAssetsInput = {
	/** Only assets whose title and description, or whose transcript, contain every word, or a longer word that starts with it; in a transcript, words of one or two letters match alone. Text without letters and digits is searched as a substring */
	q?: string | undefined
	/** One or several, separated by commas */
	status?: string | undefined
	/** One or several, separated by commas */
	visibility?: string | undefined
	/** Only assets in this collection; `none` for assets without a collection */
	collectionId?: string | "none" | undefined
	hasCaptions?: boolean | undefined
	/** Only assets created at this time or later */
	createdAfter?: string | undefined
	/** Only assets created before this time */
	createdBefore?: string | undefined
}
/** Count the assets of the organization by status */
export const countAssets: Operation<CountAssetsInput, AssetCounts> = ['GET /v1/assets/counts', 2]
export type CreateAssetInput = {
	title: string
	description?: string | null | undefined
	/** `public` and `unlisted` assets play for everyone with the playback id; only `public` ones may appear in lists. `signed` assets play only with a playback token */
	visibility?: "public" | "unlisted" | "signed" | undefined
	publicSettings?: {
		allowDownload?: boolean | undefined
		showTranscript?: boolean | undefined
		showChapters?: boolean | undefined
		showHighlights?: boolean | undefined
		showComments?: boolean | undefined
	} | undefined
	metadata?: Record<string, string> | undefined
	collectionId?: string | null | undefined
	/** Processes the asset as soon as its source is stored, by any kind of upload or import. If processing is refused then, such as by a limit of the tier, the asset stays `uploaded`: call `processAsset` later */
	process?: "whenUploaded" | undefined
	processOptions?: {
		aiOptions?: {
			transcription?: boolean | undefined
			subtitles?: boolean | undefined
			chapters?: boolean | undefined
			highlights?: boolean | undefined
		} | undefined
		playback?: "complete" | "early" | undefined
	} | undefined
	sourceUrl?: string | undefined
}
export type CreateAssetOutput = {
	id: string
	playbackId: string
	status: "created" | "uploaded" | (string & {})
}
/** Create an asset */
export const createAsset: Operation<CreateAssetInput, CreateAssetOutput> = ['POST /v1/assets', 19]
export type CreatePlaybackTokenInput = {
	assetId: string
} & {
	audience?: "v" | "t" | "s" | undefined
	expiresInSec?: number | undefined
}
export type CreatePlaybackTokenOutput = {
	token: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
}
/** Create a playback token for a signed asset */
export const createPlaybackToken: Operation<CreatePlaybackTokenInput, CreatePlaybackTokenOutput> = ['POST /v1/assets/{assetId}/playback-token', 19]
export type CreateSavedViewInput = {
	name: string
	/** null selects all assets */
	filter?: AssetFilterInput | null | undefined
	sort?: "created" | "-created" | "updated" | "-updated" | "title" | "-title" | "duration" | "-duration" | "size" | "-size" | undefined
}
/** Save a filter and a sort of the asset list under a name */
export const createSavedView: Operation<CreateSavedViewInput, SavedView> = ['POST /v1/saved-views', 19]
export type DeleteAssetInput = {
	assetId: string
	trash?: boolean | undefined
}
export type DeleteAssetOutput = {
	id: string
	/** false if the asset is in the trash */
	deleted: boolean
	/** When the asset will be deleted permanently; present only with `trash=true` */
	deleteAt?: string
}
/** Delete an asset and its files permanently, or move the asset to the trash */
export const deleteAsset: Operation<DeleteAssetInput, DeleteAssetOutput> = ['DELETE /v1/assets/{assetId}', 2]
export type DeleteSavedViewInput = {
	viewId: string
}
export type DeleteSavedViewOutput = {
	id: string
	deleted: true
}
/** Delete a saved view; assets stay unchanged */
export const deleteSavedView: Operation<DeleteSavedViewInput, DeleteSavedViewOutput> = ['DELETE /v1/saved-views/{viewId}', 2]
export type DownloadAssetInput = {
	assetId: string
	/** `source` for the uploaded file, `best` for the best MP4, or the `quality` of an H.264 rendition (`720p`). The default is the source, or the best MP4 if the source is not kept. The MP4s are created after the asset becomes ready, the best one first. */
	quality?: string | undefined
}
/** Get a download URL of the source or an MP4 */
export const downloadAsset: Operation<DownloadAssetInput, Download> = ['GET /v1/assets/{assetId}/download', 2]
export type DownloadAiAudioInput = {
	assetId: string
}
/** Get a download URL of the audio for speech recognition */
export const downloadAiAudio: Operation<DownloadAiAudioInput, Download> = ['GET /v1/assets/{assetId}/ai-audio', 2]
export type DownloadAudioInput = {
	assetId: string
}
/** Get a download URL of the playback audio */
export const downloadAudio: Operation<DownloadAudioInput, Download> = ['GET /v1/assets/{assetId}/audio', 2]
export type GetAssetInput = {
	assetId: string
}
/** Get an asset with its renditions, job and highlights */
export const getAsset: Operation<GetAssetInput, Asset> = ['GET /v1/assets/{assetId}', 2]
export type GetJobInput = {
	jobId: string
}
/** Get a job, which is one processing of an asset */
export const getJob: Operation<GetJobInput, Job> = ['GET /v1/jobs/{jobId}', 2]
export type GetAssetPlaybackInput = {
	assetId: string
}
/** Get the playback URLs of an asset */
export const getAssetPlayback: Operation<GetAssetPlaybackInput, AssetPlayback> = ['GET /v1/assets/{assetId}/playback', 2]
export type GetAssetTimelineInput = {
	assetId: string
}
/** Get where the time of an asset went */
export const getAssetTimeline: Operation<GetAssetTimelineInput, AssetTimeline> = ['GET /v1/assets/{assetId}/timeline', 2]
export type ListAssetsInput = {
	limit?: number | undefined
	cursor?: string | undefined
	/** Only assets whose title and description, or whose transcript, contain every word, or a longer word that starts with it; in a transcript, words of one or two letters match alone. Text without letters and digits is searched as a substring */
	q?: string | undefined
	/** One or several, separated by commas */
	status?: string | undefined
	/** One or several, separated by commas */
	visibility?: string | undefined
	/** Only assets in this collection; `none` for assets without a collection */
	collectionId?: string | "none" | undefined
	hasCaptions?: boolean | undefined
	/** Only assets created at this time or later */
	createdAfter?: string | undefined
	/** Only assets created before this time */
	createdBefore?: string | undefined
	/** `true` lists the trash instead of the library */
	trashed?: boolean | undefined
	/** `-` sorts in descending order. Titles are sorted without regard to the case of A to Z. An unknown duration or size counts as 0 */
	sort?: "created" | "-created" | "updated" | "-updated" | "title" | "-title" | "duration" | "-duration" | "size" | "-size" | undefined
}
/** List the assets of the organization */
export const listAssets: Operation<ListAssetsInput, AssetSummary[], AssetSummary> = ['GET /v1/assets', 6]
/** List the saved views of the asset list, oldest first */
export const listSavedViews: Operation<Record<string, never>, SavedView[]> = ['GET /v1/saved-views', 2]
export type MakeThumbnailInput = {
	assetId: string
} & {
	atSec: number
}
/** Make a custom thumbnail of the frame at a moment of the video */
export const makeThumbnail: Operation<MakeThumbnailInput, Thumbnail> = ['POST /v1/assets/{assetId}/thumbnail', 18]
export type ProcessAssetInput = {
	assetId: string
} & {
	aiOptions?: {
		transcription?: boolean | undefined
		subtitles?: boolean | undefined
		chapters?: boolean | undefined
		highlights?: boolean | undefined
	} | undefined
	playback?: "complete" | "early" | undefined
}
export type ProcessAssetOutput = {
	assetId: string
	jobId: string
	status: "queued"
}
/** Process an asset for playback */
export const processAsset: Operation<ProcessAssetInput, ProcessAssetOutput> = ['POST /v1/assets/{assetId}/process', 19]
export type ResetThumbnailInput = {
	assetId: string
}
/** Remove the custom thumbnail and use a frame of the video */
export const resetThumbnail: Operation<ResetThumbnailInput, Thumbnail> = ['DELETE /v1/assets/{assetId}/thumbnail', 2]
export type RestoreAssetInput = {
	assetId: string
}
/** Restore an asset from the trash */
export const restoreAsset: Operation<RestoreAssetInput, Asset> = ['POST /v1/assets/{assetId}/restore', 3]
export type RevokePlaybackTokensInput = {
	assetId: string
}
export type RevokePlaybackTokensOutput = {
	id: string
	revoked: true
}
/** Revoke every playback token of an asset */
export const revokePlaybackTokens: Operation<RevokePlaybackTokensInput, RevokePlaybackTokensOutput> = ['DELETE /v1/assets/{assetId}/playback-token', 2]
export type RunAiStepsInput = {
	assetId: string
} & {
	steps: ("transcription" | "subtitles" | "chapters" | "highlights")[]
	/** The language that is spoken, such as `en`; found out if omitted */
	language?: string | undefined
	/** Whether to replace what a person edited */
	force?: boolean | undefined
}
export type RunAiStepsOutput = {
	aiJob: AssetAiJob
}
/** Make the transcript, subtitles, chapters or highlights of an asset again */
export const runAiSteps: Operation<RunAiStepsInput, RunAiStepsOutput> = ['POST /v1/assets/{assetId}/ai', 19]
export type SearchAssetsInput = {
	q?: string | undefined
	status?: "created" | "uploaded" | "queued" | "processing" | "ready" | "error" | undefined
	limit?: number | undefined
	offset?: number | undefined
}
/** Search assets by title, description and spoken words, newest first */
export const searchAssets: Operation<SearchAssetsInput, AssetSearch> = ['GET /v1/assets/search', 2]
export type SetThumbnailInput = {
	assetId: string
	body: FileBody
}
/** Upload a custom thumbnail: JPG, PNG or WebP */
export const setThumbnail: Operation<SetThumbnailInput, Thumbnail> = ['PUT /v1/assets/{assetId}/thumbnail', 34]
export type StreamAssetProgressInput = {
	assetId: string
}
/** Stream the processing progress of an asset as server-sent events */
export const streamAssetProgress: Operation<StreamAssetProgressInput, Response, ServerSentEvent> = ['GET /v1/assets/{assetId}/progress', 128]
export type UpdateAssetInput = {
	assetId: string
} & {
	title?: string | undefined
	description?: string | null | undefined
	/** `public` and `unlisted` assets play for everyone with the playback id; only `public` ones may appear in lists. `signed` assets play only with a playback token */
	visibility?: "public" | "unlisted" | "signed" | undefined
	publicSettings?: {
		allowDownload?: boolean | undefined
		showTranscript?: boolean | undefined
		showChapters?: boolean | undefined
		showHighlights?: boolean | undefined
		showComments?: boolean | undefined
	} | undefined
	metadata?: Record<string, string> | undefined
	collectionId?: string | null | undefined
}
/** Update an asset */
export const updateAsset: Operation<UpdateAssetInput, Asset> = ['PATCH /v1/assets/{assetId}', 18]
export type UpdateAudioConfigInput = {
	assetId: string
} & {
	playback?: {
		codec: "aac" | "opus"
		bitrateKbps: number
		/** In Hz; Opus supports only 8000, 12000, 16000, 24000 and 48000 */
		sampleRate: 8000 | 12000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000
		channels: number
		/** Whether to normalize the loudness */
		normalize?: boolean | undefined
	} | undefined
	ai?: {
		codec: "aac" | "opus"
		bitrateKbps: number
		/** In Hz; Opus supports only 8000, 12000, 16000, 24000 and 48000 */
		sampleRate: 8000 | 12000 | 16000 | 22050 | 24000 | 32000 | 44100 | 48000
		channels: number
	} | undefined
}
/** Update the audio settings of an asset */
export const updateAudioConfig: Operation<UpdateAudioConfigInput, AudioConfig> = ['PATCH /v1/assets/{assetId}/audio-config', 18]
export type UpdateSavedViewInput = {
	viewId: string
} & {
	name?: string | undefined
	/** null selects all assets */
	filter?: AssetFilterInput | null | undefined
	sort?: "created" | "-created" | "updated" | "-updated" | "title" | "-title" | "duration" | "-duration" | "size" | "-size" | undefined
}
/** Update the name, filter or sort of a saved view */
export const updateSavedView: Operation<UpdateSavedViewInput, SavedView> = ['PATCH /v1/saved-views/{viewId}', 18]
export type GetAuditLogCsvInput = {
	orgId: string
	action?: AuditActionInput | undefined
	/** Id of a user, API key or machine */
	actor?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	since?: string | undefined
	/** Excluded */
	until?: string | undefined
}
/** Download the audit log of an organization */
export const getAuditLogCsv: Operation<GetAuditLogCsvInput, Response> = ['GET /v1/orgs/{orgId}/audit-log/csv', 64]
export type ListAuditLogInput = {
	orgId: string
	limit?: number | undefined
	cursor?: string | undefined
	action?: AuditActionInput | undefined
	/** Id of a user, API key or machine */
	actor?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	since?: string | undefined
	/** Excluded */
	until?: string | undefined
}
/** List who changed rights, keys, settings and members of an organization */
export const listAuditLog: Operation<ListAuditLogInput, AuditEntry[], AuditEntry> = ['GET /v1/orgs/{orgId}/audit-log', 6]
export type ChangePasswordInput = {
	currentPassword?: string | undefined
	/** 8 to 256 characters. The 100,000 most common passwords (in any case) are rejected with 400, and so are passwords that are little more than the name or email address of the account. */
	newPassword: string
}
/** Change the password and revoke all earlier tokens */
export const changePassword: Operation<ChangePasswordInput, SignedIn> = ['POST /v1/auth/change-password', 19]
export type ConfirmEmailChangeInput = {
	newEmail: string
	newCode: string
	currentCode?: string | undefined
}
/** Change the email address with the emailed codes */
export const confirmEmailChange: Operation<ConfirmEmailChangeInput, SignedIn> = ['POST /v1/auth/email/change/confirm', 19]
export type GetMeOutput = {
	user: User
	memberships: Membership[]
	sessionId: string
	/** The superadmin who acts as the user; null for the user themself */
	impersonation: {
		by: {
			userId: number
			email: string
		}
		write: boolean
		reason: string
		/** ISO 8601, UTC, milliseconds */
		expiresAt: string
	} | null
}
/** Get the signed-in user and their organizations */
export const getMe: Operation<Record<string, never>, GetMeOutput> = ['GET /v1/auth/me', 2]
/** Get the preferences of the signed-in user */
export const getPreferences: Operation<Record<string, never>, Preferences> = ['GET /v1/auth/me/preferences', 2]
export type LoginInput = {
	email: string
	password: string
}
/** Sign in with a password */
export const login: Operation<LoginInput, SignedIn> = ['POST /v1/auth/login', 18]
export type LogoutOutput = {
	loggedOut: true
}
/** Sign out the current session */
export const logout: Operation<Record<string, never>, LogoutOutput> = ['POST /v1/auth/logout', 3]
export type ReauthenticateInput = {
	password: string
} | {
	code: string
} | {
	totp: string
} | {
	passkey: PasskeyAssertion
}
export type ReauthenticateOutput = {
	/** ISO 8601, UTC, milliseconds */
	provedUntil: string
}
/** Reauthenticate the user in the current session */
export const reauthenticate: Operation<ReauthenticateInput, ReauthenticateOutput> = ['POST /v1/auth/reauthenticate', 18]
/** Exchange a session token for a new one */
export const refreshToken: Operation<Record<string, never>, SignedIn> = ['POST /v1/auth/refresh', 2]
export type RequestEmailChangeInput = {
	newEmail: string
	currentPassword?: string | undefined
}
export type RequestEmailChangeOutput = {
	sent: true
}
/** Request a change of the email address */
export const requestEmailChange: Operation<RequestEmailChangeInput, RequestEmailChangeOutput> = ['POST /v1/auth/email/change', 19]
export type SendCodeInput = {
	email: string
}
export type SendCodeOutput = {
	sent: true
}
/** Email a six-digit sign-in code */
export const sendCode: Operation<SendCodeInput, SendCodeOutput> = ['POST /v1/auth/otp/send', 19]
export type SendVerificationOutput = {
	sent: true
}
/** Send another code to verify the email address */
export const sendVerification: Operation<Record<string, never>, SendVerificationOutput> = ['POST /v1/auth/email/verify/send', 3]
export type SignupInput = {
	email: string
	/** 8 to 256 characters. The 100,000 most common passwords (in any case) are rejected with 400, and so are passwords that are little more than the name or email address of the account. */
	password: string
	name: string
	invitationToken?: string | undefined
}
/** Create a user and a default organization */
export const signup: Operation<SignupInput, SignedUp> = ['POST /v1/auth/signup', 19]
export type SwitchOrgInput = {
	orgId: string
}
/** Get a token for another organization of the user */
export const switchOrg: Operation<SwitchOrgInput, SignedUp> = ['POST /v1/auth/switch-org', 19]
export type UpdateMeInput = {
	name: string
}
export type UpdateMeOutput = {
	user: User
	memberships: Membership[]
	sessionId: string
	/** The superadmin who acts as the user; null for the user themself */
	impersonation: {
		by: {
			userId: number
			email: string
		}
		write: boolean
		reason: string
		/** ISO 8601, UTC, milliseconds */
		expiresAt: string
	} | null
}
/** Change the name of the signed-in user */
export const updateMe: Operation<UpdateMeInput, UpdateMeOutput> = ['PATCH /v1/auth/me', 18]
export type UpdatePreferencesInput = {
	theme?: "system" | "light" | "dark" | null | undefined
	language?: string | null | undefined
	density?: "comfortable" | "compact" | null | undefined
	libraryLayout?: "table" | "grid" | null | undefined
}
/** Update the preferences of the signed-in user */
export const updatePreferences: Operation<UpdatePreferencesInput, Preferences> = ['PATCH /v1/auth/me/preferences', 18]
export type VerifyCodeInput = {
	email: string
	code: string
}
/** Sign in with a code */
export const verifyCode: Operation<VerifyCodeInput, SignedIn> = ['POST /v1/auth/otp/verify', 18]
export type VerifyEmailInput = {
	code: string
}
/** Verify the email address with an emailed code */
export const verifyEmail: Operation<VerifyEmailInput, User> = ['POST /v1/auth/email/verify', 19]
export type VerifySignupCodeInput = {
	email: string
	code: string
	name: string
	invitationToken?: string | undefined
}
/** Sign up with a code instead of a password */
export const verifySignupCode: Operation<VerifySignupCodeInput, SignedUp> = ['POST /v1/auth/otp/verify-signup', 18]
/** Show whose credential this is: organization, scopes and expiry */
export const whoAmI: Operation<Record<string, never>, Identity> = ['GET /v1/auth/whoami', 2]
export type CreateCheckoutInput = {
	tier: "pro" | "business"
	interval: "month" | "year"
}
/** Start a checkout for a tier, and get the URL of its page at Stripe */
export const createCheckout: Operation<CreateCheckoutInput, BillingUrl> = ['POST /v1/billing/checkout', 19]
/** Get the URL of the billing portal at Stripe */
export const createPortal: Operation<Record<string, never>, BillingUrl> = ['POST /v1/billing/portal', 3]
/** Get the subscription of the organization */
export const getBilling: Operation<Record<string, never>, Billing> = ['GET /v1/billing', 2]
/** Compare the subscription of the organization with Stripe now */
export const syncBilling: Operation<Record<string, never>, Billing> = ['POST /v1/billing/sync', 3]
export type GetChaptersInput = {
	assetId: string
}
/** Get the chapters of an asset */
export const getChapters: Operation<GetChaptersInput, VideoChapters> = ['GET /v1/assets/{assetId}/chapters', 2]
export type ReplaceChaptersInput = {
	assetId: string
} & {
	chapters: {
		title: string
		/** Seconds from the beginning of the video */
		startTime: number
		/** If omitted, the beginning of the next chapter or the end of the video */
		endTime?: number | undefined
	}[]
}
/** Replace the chapters of an asset */
export const replaceChapters: Operation<ReplaceChaptersInput, VideoChapters> = ['PATCH /v1/assets/{assetId}/chapters', 18]
export type CreateCollectionInput = {
	name: string
	color: "slate" | "red" | "orange" | "amber" | "lime" | "green" | "teal" | "cyan" | "blue" | "indigo" | "violet" | "pink"
}
/** Create a collection */
export const createCollection: Operation<CreateCollectionInput, Collection> = ['POST /v1/collections', 19]
export type DeleteCollectionInput = {
	collectionId: string
}
export type DeleteCollectionOutput = {
	id: string
	deleted: true
}
/** Delete a collection but keep its assets */
export const deleteCollection: Operation<DeleteCollectionInput, DeleteCollectionOutput> = ['DELETE /v1/collections/{collectionId}', 2]
export type GetCollectionInput = {
	collectionId: string
}
/** Get a collection */
export const getCollection: Operation<GetCollectionInput, Collection> = ['GET /v1/collections/{collectionId}', 2]
export type ListCollectionsInput = {
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the collections of the organization, oldest first */
export const listCollections: Operation<ListCollectionsInput, Collection[], Collection> = ['GET /v1/collections', 6]
export type UpdateCollectionInput = {
	collectionId: string
} & {
	name?: string | undefined
	color?: "slate" | "red" | "orange" | "amber" | "lime" | "green" | "teal" | "cyan" | "blue" | "indigo" | "violet" | "pink" | undefined
}
/** Update the name or color of a collection */
export const updateCollection: Operation<UpdateCollectionInput, Collection> = ['PATCH /v1/collections/{collectionId}', 18]
export type DeleteCommentInput = {
	assetId: string
	commentId: string
}
export type DeleteCommentOutput = {
	id: string
	deleted: true
}
/** Delete a comment for good */
export const deleteComment: Operation<DeleteCommentInput, DeleteCommentOutput> = ['DELETE /v1/assets/{assetId}/comments/{commentId}', 2]
export type ListAssetCommentsInput = {
	assetId: string
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the comments on an asset, including hidden ones, newest first */
export const listAssetComments: Operation<ListAssetCommentsInput, ModeratedComment[], ModeratedComment> = ['GET /v1/assets/{assetId}/comments', 6]
export type UpdateCommentInput = {
	assetId: string
	commentId: string
} & {
	hidden: boolean
}
/** Hide a comment from viewers, or show it again */
export const updateComment: Operation<UpdateCommentInput, ModeratedComment> = ['PATCH /v1/assets/{assetId}/comments/{commentId}', 18]
export type CreateAccessGroupInput = {
	communityId: number
} & {
	name: string
}
/** Create an access group */
export const createAccessGroup: Operation<CreateAccessGroupInput, AccessGroup> = ['POST /v1/communities/{communityId}/access-groups', 19]
export type DeleteAccessGroupInput = {
	communityId: number
	accessGroupId: number
}
export type DeleteAccessGroupOutput = {
	id: number
	deleted: true
}
/** Delete an access group */
export const deleteAccessGroup: Operation<DeleteAccessGroupInput, DeleteAccessGroupOutput> = ['DELETE /v1/communities/{communityId}/access-groups/{accessGroupId}', 2]
export type GetAccessGroupInput = {
	communityId: number
	accessGroupId: number
}
/** Get an access group */
export const getAccessGroup: Operation<GetAccessGroupInput, AccessGroup> = ['GET /v1/communities/{communityId}/access-groups/{accessGroupId}', 2]
export type ListAccessGroupsInput = {
	communityId: number
	limit?: number | undefined
	cursor?: string | undefined
}
/** List access groups, oldest first */
export const listAccessGroups: Operation<ListAccessGroupsInput, AccessGroup[], AccessGroup> = ['GET /v1/communities/{communityId}/access-groups', 6]
export type ListAccessGroupMembersInput = {
	communityId: number
	accessGroupId: number
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the members of an access group, in the order in which they were added */
export const listAccessGroupMembers: Operation<ListAccessGroupMembersInput, AccessGroupMember[], AccessGroupMember> = ['GET /v1/communities/{communityId}/access-groups/{accessGroupId}/members', 6]
export type ListAccessGroupsOfMemberInput = {
	communityId: number
	memberId: number
}
/** List the access groups of a member, by id */
export const listAccessGroupsOfMember: Operation<ListAccessGroupsOfMemberInput, AccessGroupOfMember[]> = ['GET /v1/communities/{communityId}/members/{memberId}/access-groups', 2]
export type ListAccessGroupSpacesInput = {
	communityId: number
	accessGroupId: number
}
/** List the spaces of an access group, by id */
export const listAccessGroupSpaces: Operation<ListAccessGroupSpacesInput, AccessGroupSpace[]> = ['GET /v1/communities/{communityId}/access-groups/{accessGroupId}/spaces', 2]
export type PutAccessGroupMemberInput = {
	communityId: number
	accessGroupId: number
	memberId: number
} & {
	expiresAt?: string | null | undefined
}
export type PutAccessGroupMemberOutput = {
	/** The membership id, as used in `/community_members/{memberId}` */
	memberId: number
	expiresAt: string | null
}
/** Add a member to an access group */
export const putAccessGroupMember: Operation<PutAccessGroupMemberInput, PutAccessGroupMemberOutput> = ['PUT /v1/communities/{communityId}/access-groups/{accessGroupId}/members/{memberId}', 18]
export type PutAccessGroupMembersInput = {
	communityId: number
	accessGroupId: number
} & {
	memberIds: number[]
	expiresAt?: string | null | undefined
}
/** Add up to 1,000 members to an access group */
export const putAccessGroupMembers: Operation<PutAccessGroupMembersInput, AddedGroupMember[]> = ['PUT /v1/communities/{communityId}/access-groups/{accessGroupId}/members', 18]
export type PutAccessGroupSpaceInput = {
	communityId: number
	accessGroupId: number
	spaceId: number
}
export type PutAccessGroupSpaceOutput = {
	spaceId: number
}
/** Add a space to an access group */
export const putAccessGroupSpace: Operation<PutAccessGroupSpaceInput, PutAccessGroupSpaceOutput> = ['PUT /v1/communities/{communityId}/access-groups/{accessGroupId}/spaces/{spaceId}', 2]
export type RemoveAccessGroupMemberInput = {
	communityId: number
	accessGroupId: number
	memberId: number
}
export type RemoveAccessGroupMemberOutput = {
	/** The membership id, as used in `/community_members/{memberId}` */
	memberId: number
	deleted: true
}
/** Remove a member from an access group */
export const removeAccessGroupMember: Operation<RemoveAccessGroupMemberInput, RemoveAccessGroupMemberOutput> = ['DELETE /v1/communities/{communityId}/access-groups/{accessGroupId}/members/{memberId}', 2]
export type RemoveAccessGroupSpaceInput = {
	communityId: number
	accessGroupId: number
	spaceId: number
}
export type RemoveAccessGroupSpaceOutput = {
	spaceId: number
	deleted: true
}
/** Remove a space from an access group */
export const removeAccessGroupSpace: Operation<RemoveAccessGroupSpaceInput, RemoveAccessGroupSpaceOutput> = ['DELETE /v1/communities/{communityId}/access-groups/{accessGroupId}/spaces/{spaceId}', 2]
export type UpdateAccessGroupInput = {
	communityId: number
	accessGroupId: number
} & {
	name?: string | undefined
	status?: "active" | "archived" | undefined
}
/** Rename, archive or reactivate an access group */
export const updateAccessGroup: Operation<UpdateAccessGroupInput, AccessGroup> = ['PATCH /v1/communities/{communityId}/access-groups/{accessGroupId}', 18]
export type CheckCommunityDomainInput = {
	communityId: number
}
/** Check the DNS record of a custom domain now */
export const checkCommunityDomain: Operation<CheckCommunityDomainInput, CommunityDomain> = ['POST /v1/communities/{communityId}/domain/check', 3]
export type CreateCommunityInput = {
	name: string
	slug: string
	customDomain?: string | null | undefined
}
/** Create a community */
export const createCommunity: Operation<CreateCommunityInput, Community> = ['POST /v1/communities', 19]
export type DeleteCommunityInput = {
	communityId: number
}
export type DeleteCommunityOutput = {
	id: number
	deleted: true
}
/** Delete a community and its content for good */
export const deleteCommunity: Operation<DeleteCommunityInput, DeleteCommunityOutput> = ['DELETE /v1/communities/{communityId}', 2]
export type GetCommunityInput = {
	communityId: number
}
/** Get a community */
export const getCommunity: Operation<GetCommunityInput, Community> = ['GET /v1/communities/{communityId}', 2]
export type GetCommunityDomainInput = {
	communityId: number
}
/** Get the verification status of a custom domain */
export const getCommunityDomain: Operation<GetCommunityDomainInput, CommunityDomain> = ['GET /v1/communities/{communityId}/domain', 2]
export type GetCommunityOriginsInput = {
	communityId: number
}
/** List the origins of web pages that may call the API for the community */
export const getCommunityOrigins: Operation<GetCommunityOriginsInput, CommunityOrigins> = ['GET /v1/communities/{communityId}/origins', 2]
export type CreateIdentityProviderInput = {
	communityId: number
} & {
	/** What the button of a sign-in page says */
	label: string
	/** The issuer exactly as the provider writes it in its ID tokens */
	issuer: string
	clientId: string
	clientSecret: string
	/** `anyone`: whoever signs in with the provider becomes a member. `members`: only members whose `ssoUserId` is `oidc:{id of the provider}:{sub}` already may sign in. */
	joining?: "anyone" | "members" | undefined
}
/** Add an OpenID provider with which people sign in to a community */
export const createIdentityProvider: Operation<CreateIdentityProviderInput, IdentityProvider> = ['POST /v1/communities/{communityId}/identity-providers', 19]
export type DeleteIdentityProviderInput = {
	communityId: number
	providerId: number
}
export type DeleteIdentityProviderOutput = {
	id: number
	deleted: true
}
/** Delete an OpenID provider, with which nobody signs in any more */
export const deleteIdentityProvider: Operation<DeleteIdentityProviderInput, DeleteIdentityProviderOutput> = ['DELETE /v1/communities/{communityId}/identity-providers/{providerId}', 2]
export type ListIdentityProvidersInput = {
	communityId: number
}
/** List the OpenID providers with which people sign in to a community, oldest first */
export const listIdentityProviders: Operation<ListIdentityProvidersInput, IdentityProvider[]> = ['GET /v1/communities/{communityId}/identity-providers', 2]
export type UpdateIdentityProviderInput = {
	communityId: number
	providerId: number
} & {
	label?: string | undefined
	clientSecret?: string | undefined
	/** `anyone`: whoever signs in with the provider becomes a member. `members`: only members whose `ssoUserId` is `oidc:{id of the provider}:{sub}` already may sign in. */
	joining?: "anyone" | "members" | undefined
}
/** Change the label, the secret or the rule for joining of an OpenID provider */
export const updateIdentityProvider: Operation<UpdateIdentityProviderInput, IdentityProvider> = ['PATCH /v1/communities/{communityId}/identity-providers/{providerId}', 18]
export type CreateInvitationLinkInput = {
	communityId: number
} & {
	name: string
	role?: "admin" | "moderator" | "member" | undefined
	accessGroupIds?: number[] | undefined
	maxUses?: number | null | undefined
	expiresAt?: string | null | undefined
}
/** Create a link that many people may join with */
export const createInvitationLink: Operation<CreateInvitationLinkInput, NewInvitationLink> = ['POST /v1/communities/{communityId}/invitation-links', 19]
export type JoinByInvitationLinkInput = {
	token: string
}
export type JoinByInvitationLinkOutput = {
	id: number
	name: string
	slug: string
	/** The membership id, as used in `/community_members/{memberId}` */
	memberId: number
}
/** Join a community with an invitation link */
export const joinByInvitationLink: Operation<JoinByInvitationLinkInput, JoinByInvitationLinkOutput> = ['POST /v1/invitation-links/join', 19]
export type ListInvitationLinksInput = {
	communityId: number
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the invitation links of a community, newest first */
export const listInvitationLinks: Operation<ListInvitationLinksInput, InvitationLink[], InvitationLink> = ['GET /v1/communities/{communityId}/invitation-links', 6]
export type RevokeInvitationLinkInput = {
	communityId: number
	linkId: number
}
export type RevokeInvitationLinkOutput = {
	id: number
	deleted: true
}
/** Revoke an invitation link, which stops working at once */
export const revokeInvitationLink: Operation<RevokeInvitationLinkInput, RevokeInvitationLinkOutput> = ['DELETE /v1/communities/{communityId}/invitation-links/{linkId}', 2]
export type AcceptCommunityInvitationInput = {
	token: string
}
export type AcceptCommunityInvitationOutput = {
	id: number
	name: string
	slug: string
	/** The membership id, as used in `/community_members/{memberId}` */
	memberId: number
}
/** Accept an invitation to a community */
export const acceptCommunityInvitation: Operation<AcceptCommunityInvitationInput, AcceptCommunityInvitationOutput> = ['POST /v1/communities/invitations/accept', 19]
export type InviteToCommunityInput = {
	communityId: number
} & {
	email: string
	role?: "owner" | "admin" | "moderator" | "member" | undefined
}
/** Invite a member to a community by email */
export const inviteToCommunity: Operation<InviteToCommunityInput, CommunityInvitation> = ['POST /v1/communities/{communityId}/invitations', 19]
export type ListCommunityInvitationsInput = {
	communityId: number
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the invitations to a community, newest first */
export const listCommunityInvitations: Operation<ListCommunityInvitationsInput, CommunityInvitation[], CommunityInvitation> = ['GET /v1/communities/{communityId}/invitations', 6]
export type RevokeCommunityInvitationInput = {
	communityId: number
	invitationId: number
}
export type RevokeCommunityInvitationOutput = {
	id: number
	deleted: true
}
/** Revoke an open invitation to a community */
export const revokeCommunityInvitation: Operation<RevokeCommunityInvitationInput, RevokeCommunityInvitationOutput> = ['DELETE /v1/communities/{communityId}/invitations/{invitationId}', 2]
export type ListCommunitiesInput = {
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the communities of the organization, oldest first */
export const listCommunities: Operation<ListCommunitiesInput, Community[], Community> = ['GET /v1/communities', 6]
/** List managed memberships with your verified address */
export const listManagedMemberships: Operation<Record<string, never>, ManagedMembership[]> = ['GET /v1/auth/managed-memberships', 2]
export type MergeManagedMembershipInput = {
	memberId: number
}
export type MergeManagedMembershipOutput = {
	id: number
	name: string
	slug: string
	/** The membership id, as used in `/community_members/{memberId}` */
	memberId: number
}
/** Take a managed membership with your verified address over */
export const mergeManagedMembership: Operation<MergeManagedMembershipInput, MergeManagedMembershipOutput> = ['POST /v1/auth/managed-memberships/{memberId}/merge', 2]
export type AddCommunityMemberInput = {
	communityId: number
} & {
	status?: "active" | undefined
	/** `member` unless you send another one */
	role?: "owner" | "admin" | "moderator" | "member" | undefined
	/** The id of the person in your own sign-in system; unique in the community */
	ssoUserId?: string | null | undefined
	name?: string | undefined
	/** An address that nobody proved: nothing is sent to it, and nobody signs in with it */
	email?: string | null | undefined
	avatarUrl?: string | null | undefined
	headline?: string | null | undefined
	bio?: string | null | undefined
	/** Values by field key. The type of the field decides the value: a string for `text`, `textarea` and `url`, a number for `number`, a boolean for `checkbox`, `YYYY-MM-DD` for `date`, an option for `select`, an array of options for `multi_select`. null removes the value of a field that is not required. */
	profileFields?: Record<string, string | number | boolean | string[] | null> | undefined
	/** Access groups to add the member to, without expiry */
	accessGroupIds?: number[] | undefined
}
/** Invite a member, or add a managed member without an email */
export const addCommunityMember: Operation<AddCommunityMemberInput, CommunityMember | InvitedMember> = ['POST /v1/communities/{communityId}/members', 19]
export type AddCommunityMembersInput = {
	communityId: number
} & {
	members: VouchedMember[]
}
/** Add or update up to 1,000 managed members */
export const addCommunityMembers: Operation<AddCommunityMembersInput, VouchedMemberResult[]> = ['POST /v1/communities/{communityId}/members/batch', 18]
export type ExportManagedMemberInput = {
	communityId: number
	memberId: number
}
/** Export the personal data of a managed member as a zip of JSON files */
export const exportManagedMember: Operation<ExportManagedMemberInput, Response> = ['GET /v1/communities/{communityId}/members/{memberId}/export', 64]
export type GetCommunityMemberInput = {
	communityId: number
	memberId: number
}
/** Get a member */
export const getCommunityMember: Operation<GetCommunityMemberInput, CommunityMember> = ['GET /v1/communities/{communityId}/members/{memberId}', 2]
export type ListCommunityMembersInput = {
	communityId: number
	limit?: number | undefined
	cursor?: string | undefined
	email?: string | undefined
	ssoUserId?: string | undefined
	role?: "owner" | "admin" | "moderator" | "member" | undefined
	status?: "active" | "inactive" | "banned" | undefined
	q?: string | undefined
	/** Members of this access group, also expired ones */
	accessGroupId?: number | undefined
}
/** List active, inactive and banned members, oldest first */
export const listCommunityMembers: Operation<ListCommunityMembersInput, CommunityMember[], CommunityMember> = ['GET /v1/communities/{communityId}/members', 6]
export type RemoveCommunityMemberInput = {
	communityId: number
	memberId: number
	deleteContent?: boolean | undefined
}
export type RemoveCommunityMemberOutput = {
	id: number
	deleted: true
}
/** Remove a member */
export const removeCommunityMember: Operation<RemoveCommunityMemberInput, RemoveCommunityMemberOutput> = ['DELETE /v1/communities/{communityId}/members/{memberId}', 2]
export type UpdateCommunityMemberInput = {
	communityId: number
	memberId: number
} & {
	role?: "owner" | "admin" | "moderator" | "member" | undefined
	status?: "active" | "inactive" | "banned" | undefined
	/** The id of the person in your own sign-in system; unique in the community */
	ssoUserId?: string | null | undefined
	/** Setting another URL or null deletes an avatar that the member uploaded */
	avatarUrl?: string | null | undefined
	headline?: string | null | undefined
	bio?: string | null | undefined
}
/** Update the role, status or profile of a member */
export const updateCommunityMember: Operation<UpdateCommunityMemberInput, CommunityMember> = ['PATCH /v1/communities/{communityId}/members/{memberId}', 18]
export type AwardPointsInput = {
	communityId: number
} & {
	/** The membership id, as used in `/community_members/{memberId}` */
	memberId: number
	points: number
	reason: string
}
/** Award points to a member, or deduct points */
export const awardPoints: Operation<AwardPointsInput, PointTransaction> = ['POST /v1/communities/{communityId}/points', 19]
export type GetMemberPointsInput = {
	communityId: number
	memberId: number
}
export type GetMemberPointsOutput = {
	/** The membership id, as used in `/community_members/{memberId}` */
	memberId: number
	balance: number
}
/** Get the point balance of a member */
export const getMemberPoints: Operation<GetMemberPointsInput, GetMemberPointsOutput> = ['GET /v1/communities/{communityId}/members/{memberId}/points', 2]
export type ListPointsInput = {
	communityId: number
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the point transactions of a community, newest first */
export const listPoints: Operation<ListPointsInput, PointTransaction[], PointTransaction> = ['GET /v1/communities/{communityId}/points', 6]
export type CreateProfileFieldInput = {
	communityId: number
} & {
	key: string
	label: string
	fieldType?: "text" | "textarea" | "number" | "date" | "url" | "select" | "multi_select" | "checkbox" | undefined
	required?: boolean | undefined
	options?: string[] | undefined
	position?: number | undefined
}
/** Create a profile field */
export const createProfileField: Operation<CreateProfileFieldInput, ManagedProfileField> = ['POST /v1/communities/{communityId}/profile-fields', 19]
export type DeleteProfileFieldInput = {
	communityId: number
	fieldId: number
}
export type DeleteProfileFieldOutput = {
	id: number
	deleted: true
}
/** Delete a profile field */
export const deleteProfileField: Operation<DeleteProfileFieldInput, DeleteProfileFieldOutput> = ['DELETE /v1/communities/{communityId}/profile-fields/{fieldId}', 2]
export type ListManagedProfileFieldsInput = {
	communityId: number
}
/** List profile fields by position */
export const listManagedProfileFields: Operation<ListManagedProfileFieldsInput, ManagedProfileField[]> = ['GET /v1/communities/{communityId}/profile-fields', 2]
export type UpdateProfileFieldInput = {
	communityId: number
	fieldId: number
} & {
	label?: string | undefined
	fieldType?: "text" | "textarea" | "number" | "date" | "url" | "select" | "multi_select" | "checkbox" | undefined
	required?: boolean | undefined
	options?: string[] | undefined
	position?: number | undefined
}
/** Update a profile field, except its key */
export const updateProfileField: Operation<UpdateProfileFieldInput, ManagedProfileField> = ['PATCH /v1/communities/{communityId}/profile-fields/{fieldId}', 18]
export type ReplaceCommunityOriginsInput = {
	communityId: number
} & {
	/** Origins such as `https://community.example.org` or `http://localhost:5173`, without a path. Plain http is for localhost only. Other scripts are converted to Punycode, and repeated origins are dropped. Replaces the list. */
	origins: string[]
}
/** Replace the origins of web pages that may call the API for the community */
export const replaceCommunityOrigins: Operation<ReplaceCommunityOriginsInput, CommunityOrigins> = ['PUT /v1/communities/{communityId}/origins', 18]
export type CreateSpaceGroupInput = {
	communityId: number
} & {
	name: string
	slug: string
	position?: number | undefined
}
/** Create a space group */
export const createSpaceGroup: Operation<CreateSpaceGroupInput, SpaceGroup> = ['POST /v1/communities/{communityId}/space-groups', 19]
export type DeleteSpaceGroupInput = {
	communityId: number
	spaceGroupId: number
}
export type DeleteSpaceGroupOutput = {
	id: number
	deleted: true
}
/** Delete a space group but keep its spaces */
export const deleteSpaceGroup: Operation<DeleteSpaceGroupInput, DeleteSpaceGroupOutput> = ['DELETE /v1/communities/{communityId}/space-groups/{spaceGroupId}', 2]
export type ListSpaceGroupsInput = {
	communityId: number
}
/** List space groups by position */
export const listSpaceGroups: Operation<ListSpaceGroupsInput, SpaceGroup[]> = ['GET /v1/communities/{communityId}/space-groups', 2]
export type UpdateSpaceGroupInput = {
	communityId: number
	spaceGroupId: number
} & {
	name?: string | undefined
	slug?: string | undefined
	position?: number | undefined
}
/** Update a space group */
export const updateSpaceGroup: Operation<UpdateSpaceGroupInput, SpaceGroup> = ['PATCH /v1/communities/{communityId}/space-groups/{spaceGroupId}', 18]
export type CreateSpaceInput = {
	communityId: number
} & {
	name: string
	slug: string
	spaceType?: "basic" | "event" | "image" | "members" | "chat" | "course" | undefined
	visibility?: "public" | "private" | "secret" | undefined
	spaceGroupId?: number | null | undefined
	position?: number | undefined
	emoji?: string | null | undefined
	description?: string | undefined
	/** The lowest role that may create posts and events; with `nobody`, the space is read-only. Events need the role moderator in any case. Authors may still edit and delete their posts. */
	postPolicy?: "everyone" | "moderators" | "admins" | "nobody" | undefined
	/** The lowest role that may comment and reply */
	commentPolicy?: "everyone" | "moderators" | "admins" | "nobody" | undefined
}
/** Create a space */
export const createSpace: Operation<CreateSpaceInput, Space> = ['POST /v1/communities/{communityId}/spaces', 19]
export type DeleteSpaceInput = {
	communityId: number
	spaceId: number
}
export type DeleteSpaceOutput = {
	id: number
	deleted: true
}
/** Delete an empty space */
export const deleteSpace: Operation<DeleteSpaceInput, DeleteSpaceOutput> = ['DELETE /v1/communities/{communityId}/spaces/{spaceId}', 2]
export type GetManagedSpaceInput = {
	communityId: number
	spaceId: number
}
/** Get a space */
export const getManagedSpace: Operation<GetManagedSpaceInput, Space> = ['GET /v1/communities/{communityId}/spaces/{spaceId}', 2]
export type ListManagedSpacesInput = {
	communityId: number
}
/** List all spaces of a community by position */
export const listManagedSpaces: Operation<ListManagedSpacesInput, Space[]> = ['GET /v1/communities/{communityId}/spaces', 2]
export type UpdateSpaceInput = {
	communityId: number
	spaceId: number
} & {
	name?: string | undefined
	slug?: string | undefined
	spaceType?: "basic" | "event" | "image" | "members" | "chat" | "course" | undefined
	visibility?: "public" | "private" | "secret" | undefined
	spaceGroupId?: number | null | undefined
	position?: number | undefined
	emoji?: string | null | undefined
	description?: string | undefined
	/** The lowest role that may create posts and events; with `nobody`, the space is read-only. Events need the role moderator in any case. Authors may still edit and delete their posts. */
	postPolicy?: "everyone" | "moderators" | "admins" | "nobody" | undefined
	/** The lowest role that may comment and reply */
	commentPolicy?: "everyone" | "moderators" | "admins" | "nobody" | undefined
}
/** Update a space */
export const updateSpace: Operation<UpdateSpaceInput, Space> = ['PATCH /v1/communities/{communityId}/spaces/{spaceId}', 18]
export type CreateCommunityTopicInput = {
	communityId: number
} & {
	name: string
	slug: string
}
/** Create a topic */
export const createCommunityTopic: Operation<CreateCommunityTopicInput, TopicRef> = ['POST /v1/communities/{communityId}/topics', 19]
export type DeleteCommunityTopicInput = {
	communityId: number
	topicId: number
}
export type DeleteCommunityTopicOutput = {
	id: number
	deleted: true
}
/** Delete a topic but keep its posts */
export const deleteCommunityTopic: Operation<DeleteCommunityTopicInput, DeleteCommunityTopicOutput> = ['DELETE /v1/communities/{communityId}/topics/{topicId}', 2]
export type ListCommunityTopicsInput = {
	communityId: number
}
/** List the topics of a community by slug */
export const listCommunityTopics: Operation<ListCommunityTopicsInput, TopicRef[]> = ['GET /v1/communities/{communityId}/topics', 2]
export type UpdateCommunityTopicInput = {
	communityId: number
	topicId: number
} & {
	name?: string | undefined
	slug?: string | undefined
}
/** Update a topic, also on its posts */
export const updateCommunityTopic: Operation<UpdateCommunityTopicInput, TopicRef> = ['PATCH /v1/communities/{communityId}/topics/{topicId}', 18]
export type UpdateCommunityInput = {
	communityId: number
} & {
	name?: string | undefined
	slug?: string | undefined
	customDomain?: string | null | undefined
	/** Names that members can use as reactions, besides emojis and `like`; replaces the set */
	reactions?: string[] | undefined
}
/** Update the name, slug, domain or reactions of a community */
export const updateCommunity: Operation<UpdateCommunityInput, Community> = ['PATCH /v1/communities/{communityId}', 18]
export type CreateBookmarkInput = {
	bookmarkable_type?: "Post" | undefined
	bookmarkable_id: number
}
/** Bookmark a post */
export const createBookmark: Operation<CreateBookmarkInput, Success> = ['POST /api/headless/v1/bookmarks', 17]
export type DeleteBookmarkInput = {
	postId: number
}
/** Remove the bookmark of a post */
export const deleteBookmark: Operation<DeleteBookmarkInput, Success> = ['DELETE /api/headless/v1/bookmarks/{postId}']
export type ListBookmarksInput = {
	page?: number | undefined
	per_page?: number | undefined
}
export type ListBookmarksOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	count: number
	page_count: number
	records: Bookmark[]
}
/** List the caller's bookmarks, newest first */
export const listBookmarks: Operation<ListBookmarksInput, ListBookmarksOutput, Bookmark> = ['GET /api/headless/v1/bookmarks', 8]
export type ListSpaceBookmarksInput = {
	spaceId: number
}
export type ListSpaceBookmarksOutput = {
	page: 1
	per_page: 20
	has_next_page: false
	count: number
	page_count: 1
	records: SpaceBookmark[]
}
/** List the caller's bookmarks of posts in a space, newest first */
export const listSpaceBookmarks: Operation<ListSpaceBookmarksInput, ListSpaceBookmarksOutput, SpaceBookmark> = ['GET /api/headless/v1/spaces/{spaceId}/bookmarks', 8]
export type CreatePostCommentInput = {
	postId: number
} & {
	body: string
}
/** Comment on a post */
export const createPostComment: Operation<CreatePostCommentInput, PostComment> = ['POST /api/headless/v1/posts/{postId}/comments', 17]
export type DeletePostCommentInput = {
	commentId: number
}
/** Delete a comment or reply */
export const deletePostComment: Operation<DeletePostCommentInput, Success> = ['DELETE /api/headless/v1/comments/{commentId}']
export type GetPostCommentInput = {
	commentId: number
}
/** Get a comment or reply */
export const getPostComment: Operation<GetPostCommentInput, PostComment> = ['GET /api/headless/v1/comments/{commentId}']
export type ListPostCommentsInput = {
	postId: number
	page?: number | undefined
	per_page?: number | undefined
	/** With `latest`, the newest first */
	sort?: "latest" | "oldest" | undefined
	cursor?: string | undefined
}
export type ListPostCommentsOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: PostComment[]
}
/** List the comments on a post without replies, oldest first */
export const listPostComments: Operation<ListPostCommentsInput, ListPostCommentsOutput, PostComment> = ['GET /api/headless/v1/posts/{postId}/comments', 8]
export type ListMemberCommentsInput = {
	memberId: number
	page?: number | undefined
	per_page?: number | undefined
}
export type ListMemberCommentsOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: PostComment[]
}
/** List the comments and replies of a member, newest first */
export const listMemberComments: Operation<ListMemberCommentsInput, ListMemberCommentsOutput, PostComment> = ['GET /api/headless/v1/community_members/{memberId}/comments', 8]
export type UpdatePostCommentInput = {
	commentId: number
} & {
	body: string
}
/** Update a comment or reply of the caller */
export const updatePostComment: Operation<UpdatePostCommentInput, PostComment> = ['PATCH /api/headless/v1/comments/{commentId}', 16]
export type CreateStreamTokenInput = {
	/** Up to 50 spaces and posts, as `space:{id}` and `post:{id}` */
	topics?: string[] | undefined
}
/** Create a token that opens a live stream once */
export const createStreamToken: Operation<CreateStreamTokenInput, StreamToken> = ['POST /api/headless/v1/stream_tokens', 16]
export type AttendEventInput = {
	eventId: number
}
/** RSVP to an event */
export const attendEvent: Operation<AttendEventInput, Rsvp> = ['POST /api/headless/v1/events/{eventId}/event_attendees', 1]
export type CreateEventInput = {
	spaceId: number
} & {
	title: string
	description?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	starts_at: string
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	ends_at: string
	in_person_location?: string | null | undefined
	virtual_location_url?: string | null | undefined
	/** null for no limit */
	capacity?: number | null | undefined
	waitlist_enabled?: boolean | undefined
}
/** Create an event in a space */
export const createEvent: Operation<CreateEventInput, CommunityEvent> = ['POST /api/headless/v1/spaces/{spaceId}/events', 17]
export type DeleteEventInput = {
	eventId: number
}
/** Delete an event and its RSVPs */
export const deleteEvent: Operation<DeleteEventInput, Success> = ['DELETE /api/headless/v1/events/{eventId}']
/** Revoke the URL of the caller's calendar feed */
export const deleteCalendarFeed: Operation<Record<string, never>, Success> = ['DELETE /api/headless/v1/calendar_feed']
export type GetEventInput = {
	eventId: number
}
/** Get an event */
export const getEvent: Operation<GetEventInput, CommunityEvent> = ['GET /api/headless/v1/events/{eventId}']
export type GetEventCalendarInput = {
	eventId: number
}
/** Download an event as an iCalendar file */
export const getEventCalendar: Operation<GetEventCalendarInput, Response> = ['GET /api/headless/v1/events/{eventId}/calendar.ics', 64]
export type LeaveEventInput = {
	eventId: number
}
/** Cancel an RSVP */
export const leaveEvent: Operation<LeaveEventInput, Success> = ['DELETE /api/headless/v1/events/{eventId}/event_attendees']
export type ListCommunityEventsInput = {
	page?: number | undefined
	per_page?: number | undefined
	/** Only events that start at this time or later */
	from?: string | undefined
	/** Only events that start before this time */
	to?: string | undefined
	/** Only events in this space */
	space_id?: number | undefined
	/** `true` lists only events with an RSVP of the caller: going or on the waitlist */
	mine?: boolean | undefined
}
export type ListCommunityEventsOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	count: number
	page_count: number
	records: CommunityEvent[]
}
/** List the events that the caller can see, earliest first */
export const listCommunityEvents: Operation<ListCommunityEventsInput, ListCommunityEventsOutput, CommunityEvent> = ['GET /api/headless/v1/community_events', 8]
export type ListAttendeesInput = {
	eventId: number
}
export type ListAttendeesOutput = {
	page: 1
	per_page: 20
	has_next_page: false
	count: number
	page_count: 1
	records: Attendee[]
}
/** List all RSVPs of an event, oldest first */
export const listAttendees: Operation<ListAttendeesInput, ListAttendeesOutput, Attendee> = ['GET /api/headless/v1/events/{eventId}/event_attendees', 8]
/** Create the URL of the caller's calendar feed */
export const resetCalendarFeed: Operation<Record<string, never>, CalendarFeed> = ['POST /api/headless/v1/calendar_feed', 1]
export type UpdateEventInput = {
	eventId: number
} & {
	title?: string | undefined
	description?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	starts_at?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	ends_at?: string | undefined
	in_person_location?: string | null | undefined
	virtual_location_url?: string | null | undefined
	/** null for no limit */
	capacity?: number | null | undefined
	waitlist_enabled?: boolean | undefined
}
/** Update an event */
export const updateEvent: Operation<UpdateEventInput, CommunityEvent> = ['PATCH /api/headless/v1/events/{eventId}', 16]
/** Get what a sign-in page of the community needs */
export const getPublicCommunity: Operation<Record<string, never>, PublicCommunity> = ['GET /api/headless/v1/community']
export type AddPostImageInput = {
	postId: number
	/** A description for people who can't see the image */
	alt?: string | undefined
	body: FileBody
}
/** Add an image to a post of the caller: JPG, PNG or WebP */
export const addPostImage: Operation<AddPostImageInput, PostImage> = ['POST /api/headless/v1/posts/{postId}/images', 33, 'alt']
export type DeleteImageInput = {
	imageId: number
}
/** Remove an image from a post */
export const deleteImage: Operation<DeleteImageInput, Success> = ['DELETE /api/headless/v1/images/{imageId}']
export type GetImageInput = {
	imageId: number
	/** The width of a smaller variant, in WebP. Returns the original if it is not wider, is animated or cannot be resized */
	w?: "320" | "640" | "1280" | undefined
}
/** Download an image of a post */
export const getImage: Operation<GetImageInput, Response> = ['GET /api/headless/v1/images/{imageId}', 64]
export type GetImageFileInput = {
	imageId: number
	token: string
	/** The width of a smaller variant, in WebP. Returns the original if it is not wider, is animated or cannot be resized */
	w?: "320" | "640" | "1280" | undefined
}
/** Download an image by the URL in a post */
export const getImageFile: Operation<GetImageFileInput, Response> = ['GET /api/headless/v1/images/{imageId}/file', 64]
export type UpdateImageInput = {
	imageId: number
} & {
	alt?: string | null | undefined
}
/** Update the description of an image */
export const updateImage: Operation<UpdateImageInput, PostImage> = ['PATCH /api/headless/v1/images/{imageId}', 16]
export type ListCommunityLinksOutput = {
	page: 1
	per_page: 20
	has_next_page: false
	count: number
	page_count: 1
	records: unknown[]
}
/** List community links */
export const listCommunityLinks: Operation<Record<string, never>, ListCommunityLinksOutput, unknown> = ['GET /api/headless/v1/community_links', 8]
/** Leave the community */
export const deactivateMember: Operation<Record<string, never>, Success> = ['DELETE /api/headless/v1/community_member/deactivate']
export type GetAvatarInput = {
	memberId: number
	avatarFile: string
	/** The width of a smaller variant, in WebP. Returns the original if it is not wider, is animated or cannot be resized */
	w?: "320" | "640" | "1280" | undefined
}
/** Download an uploaded avatar */
export const getAvatar: Operation<GetAvatarInput, Response> = ['GET /api/headless/v1/community_members/{memberId}/avatar/{avatarFile}', 64]
/** Get the caller's own membership and profile */
export const getCurrentMember: Operation<Record<string, never>, CurrentMember> = ['GET /api/headless/v1/community_member']
export type GetPublicProfileInput = {
	memberId: number
}
/** Get the public profile of a member */
export const getPublicProfile: Operation<GetPublicProfileInput, MemberProfile> = ['GET /api/headless/v1/community_members/{memberId}/public_profile']
export type InviteMemberByMailInput = {
	email: string
	role?: "owner" | "admin" | "moderator" | "member" | undefined
}
/** Invite a member by email */
export const inviteMemberByMail: Operation<InviteMemberByMailInput, Success> = ['POST /api/headless/v1/invitations', 17]
export type ListMemberCardsInput = {
	page?: number | undefined
	per_page?: number | undefined
	/** With `latest`, the newest first */
	sort?: "latest" | "oldest" | undefined
	cursor?: string | undefined
}
export type ListMemberCardsOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: MemberCard[]
}
/** List active members, oldest first */
export const listMemberCards: Operation<ListMemberCardsInput, ListMemberCardsOutput, MemberCard> = ['GET /api/headless/v1/community_members', 8]
export type ListPageProfileFieldsOutput = {
	page: 1
	per_page: 20
	has_next_page: false
	count: number
	page_count: 1
	records: ProfileField[]
}
/** List profile fields under an alternative path */
export const listPageProfileFields: Operation<Record<string, never>, ListPageProfileFieldsOutput, ProfileField> = ['GET /api/headless/v1/page_profile_fields', 8]
export type ListProfileFieldsOutput = {
	page: 1
	per_page: 20
	has_next_page: false
	count: number
	page_count: 1
	records: ProfileField[]
}
/** List the profile fields of the community by position */
export const listProfileFields: Operation<Record<string, never>, ListProfileFieldsOutput, ProfileField> = ['GET /api/headless/v1/profile_fields', 8]
export type SearchMembersInput = {
	page?: number | undefined
	per_page?: number | undefined
	search_text: string
}
export type SearchMembersOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: MemberCard[]
}
/** Search active members by name, headline and bio */
export const searchMembers: Operation<SearchMembersInput, SearchMembersOutput, MemberCard> = ['GET /api/headless/v1/search/community_members', 8]
export type SearchMembersByBodyInput = {
	search_text?: string | undefined
	page?: number | undefined
	per_page?: number | undefined
	status?: "active" | undefined
	filters?: unknown[] | undefined
}
export type SearchMembersByBodyOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: MemberCard[]
}
/** Search active members, with the text in the body */
export const searchMembersByBody: Operation<SearchMembersByBodyInput, SearchMembersByBodyOutput, MemberCard> = ['POST /api/headless/v1/search/community_members', 24]
export type SetAvatarInput = {
	body: FileBody
}
/** Upload the caller's avatar in the community: JPG, PNG or WebP */
export const setAvatar: Operation<SetAvatarInput, MemberProfile> = ['PUT /api/headless/v1/profile/avatar', 32]
export type UpdateProfileInput = {
	/** The name of the caller in this community; null for the name of the account, which PATCH /v1/auth/me changes */
	name?: string | null | undefined
	/** The URL of an external image. Setting another URL deletes an avatar that was uploaded with PUT /api/headless/v1/profile/avatar */
	avatar_url?: string | null | undefined
	headline?: string | null | undefined
	bio?: string | null | undefined
	/** Values by field key. The type of the field decides the value: a string for `text`, `textarea` and `url`, a number for `number`, a boolean for `checkbox`, `YYYY-MM-DD` for `date`, an option for `select`, an array of options for `multi_select`. null removes the value of a field that is not required. */
	profile_fields?: Record<string, string | number | boolean | string[] | null> | undefined
}
/** Update the caller's profile in the community */
export const updateProfile: Operation<UpdateProfileInput, MemberProfile> = ['PUT /api/headless/v1/profile', 16]
export type BanMemberInput = {
	memberId: number
}
/** Ban a member */
export const banMember: Operation<BanMemberInput, Success> = ['POST /api/headless/v1/community_members/{memberId}/ban', 1]
export type DismissFlagInput = {
	flagId: number
}
/** Dismiss all flags of a post or comment */
export const dismissFlag: Operation<DismissFlagInput, Success> = ['POST /api/headless/v1/flagged_contents/{flagId}/dismiss', 1]
export type FlagContentInput = {
	content_type: "Post" | "Comment"
	content_id: number
	reason: string
}
/** Flag a post or comment for the moderators */
export const flagContent: Operation<FlagContentInput, Success> = ['POST /api/headless/v1/flagged_contents', 17]
export type HideCommentInput = {
	commentId: number
} & {
	reason?: string | null | undefined
}
/** Hide a comment and its replies */
export const hideComment: Operation<HideCommentInput, Success> = ['POST /api/headless/v1/comments/{commentId}/hide', 17]
export type HidePostInput = {
	postId: number
} & {
	reason?: string | null | undefined
}
/** Hide a post from all members but its author */
export const hidePost: Operation<HidePostInput, Success> = ['POST /api/headless/v1/posts/{postId}/hide', 17]
export type ListFlagsInput = {
	page?: number | undefined
	per_page?: number | undefined
	status?: "open" | "all" | undefined
	content_type?: "Post" | "Comment" | undefined
	/** Requires `content_type` */
	content_id?: number | undefined
}
export type ListFlagsOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: Flag[]
}
/** List flags, newest first */
export const listFlags: Operation<ListFlagsInput, ListFlagsOutput, Flag> = ['GET /api/headless/v1/flagged_contents', 8]
export type ListHiddenInput = {
	page?: number | undefined
	per_page?: number | undefined
}
export type ListHiddenOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: HiddenContent[]
}
/** List hidden posts and comments, most recently hidden first */
export const listHidden: Operation<ListHiddenInput, ListHiddenOutput, HiddenContent> = ['GET /api/headless/v1/hidden_contents', 8]
export type RestoreCommentInput = {
	commentId: number
}
/** Restore a hidden comment and the replies that were hidden with it */
export const restoreComment: Operation<RestoreCommentInput, Success> = ['POST /api/headless/v1/comments/{commentId}/restore', 1]
export type RestorePostInput = {
	postId: number
}
/** Restore a hidden post with its comments and reactions */
export const restorePost: Operation<RestorePostInput, Success> = ['POST /api/headless/v1/posts/{postId}/restore', 1]
export type UnbanMemberInput = {
	memberId: number
}
/** Unban a member */
export const unbanMember: Operation<UnbanMemberInput, Success> = ['POST /api/headless/v1/community_members/{memberId}/unban', 1]
export type ArchiveNotificationInput = {
	notificationId: number
}
/** Archive a notification */
export const archiveNotification: Operation<ArchiveNotificationInput, Success> = ['POST /api/headless/v1/notifications/{notificationId}/archive', 1]
/** Count the unread notifications */
export const countNotifications: Operation<Record<string, never>, NotificationCount> = ['GET /api/headless/v1/notifications/count']
/** Count the notifications since the last reset */
export const countNewNotifications: Operation<Record<string, never>, NewNotifications> = ['GET /api/headless/v1/notifications/new_notifications_count']
export type DeleteNotificationInput = {
	notificationId: number
}
/** Delete a notification */
export const deleteNotification: Operation<DeleteNotificationInput, Success> = ['DELETE /api/headless/v1/notifications/{notificationId}']
export type GetNotificationInput = {
	notificationId: number
}
/** Get a notification of the caller */
export const getNotification: Operation<GetNotificationInput, Notification> = ['GET /api/headless/v1/notifications/{notificationId}']
/** Get the caller's notification preferences */
export const getNotificationPreferences: Operation<Record<string, never>, NotificationPreferences> = ['GET /api/headless/v1/notification_preferences']
export type ListNotificationsInput = {
	limit?: number | undefined
	cursor?: string | undefined
	status?: "all" | "read" | "unread" | "archived" | undefined
}
export type ListNotificationsOutput = {
	records: Notification[]
}
/** List the caller's notifications, newest first */
export const listNotifications: Operation<ListNotificationsInput, ListNotificationsOutput, Notification> = ['GET /api/headless/v1/notifications', 4]
/** Mark all notifications as read */
export const markAllNotificationsRead: Operation<Record<string, never>, Success> = ['POST /api/headless/v1/notifications/mark_all_as_read', 1]
export type MarkNotificationReadInput = {
	notificationId: number
}
/** Mark a notification as read */
export const markNotificationRead: Operation<MarkNotificationReadInput, Success> = ['POST /api/headless/v1/notifications/{notificationId}/mark_as_read', 1]
/** Reset the number of new notifications */
export const resetNewNotifications: Operation<Record<string, never>, NewNotifications> = ['POST /api/headless/v1/notifications/reset_new_notifications_count', 1]
/** Stream new notifications as server-sent events */
export const streamNotifications: Operation<Record<string, never>, Response, ServerSentEvent> = ['GET /api/headless/v1/notifications/stream', 128]
export type UpdateNotificationPreferencesInput = {
	post_comment?: boolean | undefined
	comment_reply?: boolean | undefined
	followed_post_comment?: boolean | undefined
	post_reaction?: boolean | undefined
	comment_reaction?: boolean | undefined
	event_changed?: boolean | undefined
	event_place?: boolean | undefined
	event_cancelled?: boolean | undefined
	post_hidden?: boolean | undefined
	post_restored?: boolean | undefined
	comment_hidden?: boolean | undefined
	comment_restored?: boolean | undefined
	/** Writing a post or comment follows the post */
	follow_participated_posts?: boolean | undefined
}
/** Update the caller's notification preferences */
export const updateNotificationPreferences: Operation<UpdateNotificationPreferencesInput, NotificationPreferences> = ['PATCH /api/headless/v1/notification_preferences', 16]
export type CreatePostInput = {
	spaceId: number
} & {
	name?: string | null | undefined
	body: string
	/** Ids of topics */
	topics?: number[] | undefined
}
/** Create a post in a space */
export const createPost: Operation<CreatePostInput, Post> = ['POST /api/headless/v1/spaces/{spaceId}/posts', 17]
export type DeletePostInput = {
	postId: number
}
/** Delete a post */
export const deletePost: Operation<DeletePostInput, Success> = ['DELETE /api/headless/v1/posts/{postId}']
export type FollowPostInput = {
	postId: number
}
export type FollowPostOutput = {
	success: true
	is_following: true
}
/** Follow a post */
export const followPost: Operation<FollowPostInput, FollowPostOutput> = ['POST /api/headless/v1/posts/{postId}/post_followers', 1]
export type GetPostInput = {
	postId: number
}
/** Get a post */
export const getPost: Operation<GetPostInput, Post> = ['GET /api/headless/v1/posts/{postId}']
export type ListHomePostsInput = {
	page?: number | undefined
	per_page?: number | undefined
	/** With `latest`, the newest first */
	sort?: "latest" | "oldest" | undefined
	cursor?: string | undefined
	/** With `excerpt`, the `body` of each post equals its `excerpt`; `is_truncated` tells where it is not whole */
	body?: "full" | "excerpt" | undefined
}
export type ListHomePostsOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: Post[]
}
/** List the posts of all spaces that the caller can see, newest first */
export const listHomePosts: Operation<ListHomePostsInput, ListHomePostsOutput, Post> = ['GET /api/headless/v1/home', 8]
export type ListPostFollowersInput = {
	postId: number
}
export type ListPostFollowersOutput = {
	page: 1
	per_page: 20
	has_next_page: false
	count: number
	page_count: 1
	records: PostFollower[]
}
/** List the followers of a post, oldest first */
export const listPostFollowers: Operation<ListPostFollowersInput, ListPostFollowersOutput, PostFollower> = ['GET /api/headless/v1/posts/{postId}/post_followers', 8]
export type ListMemberPostsInput = {
	memberId: number
	page?: number | undefined
	per_page?: number | undefined
	/** With `excerpt`, the `body` of each post equals its `excerpt`; `is_truncated` tells where it is not whole */
	body?: "full" | "excerpt" | undefined
}
export type ListMemberPostsOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: Post[]
}
/** List the posts of a member, newest first */
export const listMemberPosts: Operation<ListMemberPostsInput, ListMemberPostsOutput, Post> = ['GET /api/headless/v1/community_members/{memberId}/posts', 8]
export type ListSpacePostsInput = {
	spaceId: number
	page?: number | undefined
	per_page?: number | undefined
	/** With `latest`, the newest first */
	sort?: "latest" | "oldest" | undefined
	cursor?: string | undefined
	/** With `excerpt`, the `body` of each post equals its `excerpt`; `is_truncated` tells where it is not whole */
	body?: "full" | "excerpt" | undefined
}
export type ListSpacePostsOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: Post[]
}
/** List the posts of a space, newest first */
export const listSpacePosts: Operation<ListSpacePostsInput, ListSpacePostsOutput, Post> = ['GET /api/headless/v1/spaces/{spaceId}/posts', 8]
export type SearchPostsInput = {
	page?: number | undefined
	per_page?: number | undefined
	search_text: string
	/** With `excerpt`, the `body` of each post equals its `excerpt`; `is_truncated` tells where it is not whole */
	body?: "full" | "excerpt" | undefined
}
export type SearchPostsOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: Post[]
}
/** Search posts by title and body, newest first */
export const searchPosts: Operation<SearchPostsInput, SearchPostsOutput, Post> = ['GET /api/headless/v1/search/posts', 8]
export type UnfollowPostInput = {
	postId: number
}
export type UnfollowPostOutput = {
	success: true
	is_following: false
}
/** Unfollow a post */
export const unfollowPost: Operation<UnfollowPostInput, UnfollowPostOutput> = ['DELETE /api/headless/v1/posts/{postId}/post_followers']
export type UpdatePostInput = {
	postId: number
} & {
	name?: string | null | undefined
	body?: string | undefined
	/** Ids of topics */
	topics?: number[] | undefined
}
/** Update a post of the caller */
export const updatePost: Operation<UpdatePostInput, Post> = ['PATCH /api/headless/v1/posts/{postId}', 16]
export type ReactInput = {
	reactable_type: "Post" | "Comment" | "Image"
	reactable_id: number
	reaction?: string | undefined
}
/** React to a post, comment or image */
export const react: Operation<ReactInput, Reaction> = ['POST /api/headless/v1/reactions', 17]
export type LikeCommentInput = {
	commentId: number
}
/** Like a comment or reply */
export const likeComment: Operation<LikeCommentInput, Success> = ['POST /api/headless/v1/comments/{commentId}/user_likes', 1]
export type LikePostInput = {
	postId: number
}
/** Like a post */
export const likePost: Operation<LikePostInput, Success> = ['POST /api/headless/v1/posts/{postId}/user_likes', 1]
export type ListCommentLikesInput = {
	commentId: number
	page?: number | undefined
	per_page?: number | undefined
}
export type ListCommentLikesOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: MemberReaction[]
}
/** List the members who like a comment or reply, oldest like first */
export const listCommentLikes: Operation<ListCommentLikesInput, ListCommentLikesOutput, MemberReaction> = ['GET /api/headless/v1/comments/{commentId}/user_likes', 8]
export type ListCommentReactionsInput = {
	commentId: number
	page?: number | undefined
	per_page?: number | undefined
}
export type ListCommentReactionsOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: MemberReaction[]
}
/** List the reactions to a comment with their members, by emoji */
export const listCommentReactions: Operation<ListCommentReactionsInput, ListCommentReactionsOutput, MemberReaction> = ['GET /api/headless/v1/comments/{commentId}/reactions', 8]
export type ListPostReactionsInput = {
	postId: number
	page?: number | undefined
	per_page?: number | undefined
}
export type ListPostReactionsOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: MemberReaction[]
}
/** List the reactions to a post with their members, by emoji */
export const listPostReactions: Operation<ListPostReactionsInput, ListPostReactionsOutput, MemberReaction> = ['GET /api/headless/v1/posts/{postId}/reactions', 8]
export type ListPostLikesInput = {
	postId: number
	page?: number | undefined
	per_page?: number | undefined
}
export type ListPostLikesOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: MemberReaction[]
}
/** List the members who like a post, oldest like first */
export const listPostLikes: Operation<ListPostLikesInput, ListPostLikesOutput, MemberReaction> = ['GET /api/headless/v1/posts/{postId}/user_likes', 8]
export type UnreactInput = {
	reactable_type?: "Post" | "Comment" | "Image" | undefined
	reactable_id?: number | undefined
}
/** Remove a reaction */
export const unreact: Operation<UnreactInput, Success> = ['DELETE /api/headless/v1/reactions']
export type UnlikeCommentInput = {
	commentId: number
}
/** Remove the like of a comment or reply */
export const unlikeComment: Operation<UnlikeCommentInput, Success> = ['DELETE /api/headless/v1/comments/{commentId}/user_likes']
export type UnlikePostInput = {
	postId: number
}
/** Remove the like of a post */
export const unlikePost: Operation<UnlikePostInput, Success> = ['DELETE /api/headless/v1/posts/{postId}/user_likes']
export type CreateReplyInput = {
	commentId: number
} & {
	body: string
}
/** Reply to a comment */
export const createReply: Operation<CreateReplyInput, PostComment> = ['POST /api/headless/v1/comments/{commentId}/replies', 17]
export type ListRepliesInput = {
	commentId: number
	page?: number | undefined
	per_page?: number | undefined
	/** With `latest`, the newest first */
	sort?: "latest" | "oldest" | undefined
	cursor?: string | undefined
}
export type ListRepliesOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: PostComment[]
}
/** List the replies to a comment, oldest first */
export const listReplies: Operation<ListRepliesInput, ListRepliesOutput, PostComment> = ['GET /api/headless/v1/comments/{commentId}/replies', 8]
export type SearchCommunityInput = {
	page?: number | undefined
	per_page?: number | undefined
	search_text: string
}
export type SearchCommunityOutput = {
	page: number
	per_page: number
	has_next_page: boolean
	records: SearchResult[]
}
/** Search posts and members together */
export const searchCommunity: Operation<SearchCommunityInput, SearchCommunityOutput, SearchResult> = ['GET /api/headless/v1/search', 8]
export type GetMemberSpaceGroupInput = {
	spaceGroupId: number
}
/** Get a space group */
export const getMemberSpaceGroup: Operation<GetMemberSpaceGroupInput, MemberSpaceGroup> = ['GET /api/headless/v1/space_groups/{spaceGroupId}']
export type ListMemberSpaceGroupsOutput = {
	page: 1
	per_page: 20
	has_next_page: false
	count: number
	page_count: 1
	records: MemberSpaceGroup[]
}
/** List space groups by position */
export const listMemberSpaceGroups: Operation<Record<string, never>, ListMemberSpaceGroupsOutput, MemberSpaceGroup> = ['GET /api/headless/v1/space_groups', 8]
export type GetSpaceInput = {
	spaceId: number
}
/** Get a space */
export const getSpace: Operation<GetSpaceInput, MemberSpace> = ['GET /api/headless/v1/spaces/{spaceId}']
/** Get the first space that the caller can see, by position */
export const getHomeSpace: Operation<Record<string, never>, MemberSpace> = ['GET /api/headless/v1/spaces/home']
export type JoinSpaceInput = {
	spaceId: number
}
/** Join a space */
export const joinSpace: Operation<JoinSpaceInput, Success> = ['POST /api/headless/v1/spaces/{spaceId}/join', 1]
export type LeaveSpaceInput = {
	spaceId: number
}
/** Leave a space */
export const leaveSpace: Operation<LeaveSpaceInput, Success> = ['POST /api/headless/v1/spaces/{spaceId}/leave', 1]
export type ListSpacesOutput = {
	page: 1
	per_page: 20
	has_next_page: false
	count: number
	page_count: 1
	records: MemberSpace[]
}
/** List the spaces that the caller can see, by position */
export const listSpaces: Operation<Record<string, never>, ListSpacesOutput, MemberSpace> = ['GET /api/headless/v1/spaces', 8]
export type ListMemberSpacesInput = {
	memberId: number
}
export type ListMemberSpacesOutput = {
	page: 1
	per_page: 20
	has_next_page: false
	count: number
	page_count: 1
	records: MemberSpace[]
}
/** List the spaces of a member by position */
export const listMemberSpaces: Operation<ListMemberSpacesInput, ListMemberSpacesOutput, MemberSpace> = ['GET /api/headless/v1/community_members/{memberId}/spaces', 8]
export type MarkSpaceReadInput = {
	spaceId: number
}
/** Mark the posts of a space as read */
export const markSpaceRead: Operation<MarkSpaceReadInput, Success> = ['POST /api/headless/v1/spaces/{spaceId}/mark_as_read', 1]
export type StreamCommunityInput = {
	/** A stream token, instead of a credential in a header. It has the topics */
	token?: string | undefined
	/** Topics, comma-separated */
	topics?: string | undefined
	last_event_id?: string | undefined
}
/** Stream what happens in a community as server-sent events */
export const streamCommunity: Operation<StreamCommunityInput, Response, ServerSentEvent> = ['GET /api/headless/v1/stream', 128]
export type ListTopicsInput = {
	spaceId: number
}
export type ListTopicsOutput = {
	page: 1
	per_page: 20
	has_next_page: false
	count: number
	page_count: 1
	records: Topic[]
}
/** List the topics of the posts in a space, most used first */
export const listTopics: Operation<ListTopicsInput, ListTopicsOutput, Topic> = ['GET /api/headless/v1/spaces/{spaceId}/topics', 8]
export type ListAllTopicsOutput = {
	page: 1
	per_page: 20
	has_next_page: false
	count: number
	page_count: 1
	records: CommunityTopic[]
}
/** List all topics of the community, most used first */
export const listAllTopics: Operation<Record<string, never>, ListAllTopicsOutput, CommunityTopic> = ['GET /api/headless/v1/topics', 8]
/** Get the features, registration rules and limits of this installation */
export const getConfig: Operation<Record<string, never>, PublicConfig> = ['GET /v1/config', 2]
export type ApproveDeviceRequestInput = {
	orgId: string
} & {
	/** Upper and lower case, spaces and hyphens do not matter */
	userCode: string
	scopes: ("read" | "write" | "admin" | "headless:auth" | "members:write")[]
}
export type ApproveDeviceRequestOutput = {
	deviceName: string
	scopes: ("read" | "write" | "admin" | "headless:auth" | "members:write" | (string & {}))[]
}
/** Give a device an API key of the organization */
export const approveDeviceRequest: Operation<ApproveDeviceRequestInput, ApproveDeviceRequestOutput> = ['POST /v1/orgs/{orgId}/device-approvals', 19]
export type DenyDeviceRequestInput = {
	/** Upper and lower case, spaces and hyphens do not matter */
	userCode: string
}
export type DenyDeviceRequestOutput = {
	denied: true
}
/** Refuse what a device asks for */
export const denyDeviceRequest: Operation<DenyDeviceRequestInput, DenyDeviceRequestOutput> = ['POST /v1/auth/device/deny', 19]
export type FindDeviceRequestInput = {
	/** Upper and lower case, spaces and hyphens do not matter */
	userCode: string
}
/** Look up what a device asks for, by the code that it shows */
export const findDeviceRequest: Operation<FindDeviceRequestInput, DeviceRequest> = ['POST /v1/auth/device/lookup', 19]
export type PollDeviceTokenInput = {
	grant_type: string
	device_code: string
	/** The name of the program, shown to the person */
	client_id: string
}
/** Get the API key that a person has approved (RFC 8628) */
export const pollDeviceToken: Operation<PollDeviceTokenInput, DeviceToken> = ['POST /v1/auth/device/token', 16]
export type StartDeviceRequestInput = {
	/** The name of the program, shown to the person */
	client_id: string
	/** Scopes of API keys, separated by spaces */
	scope?: string | undefined
	/** The name of this machine, and of the key; `client_id` if left out */
	device_name?: string | undefined
}
/** Ask for an API key on behalf of the person at this device (RFC 8628) */
export const startDeviceRequest: Operation<StartDeviceRequestInput, DeviceRequestStarted> = ['POST /v1/auth/device', 16]
export type CancelDirectUploadInput = {
	uploadId: string
}
/** Cancel a direct upload */
export const cancelDirectUpload: Operation<CancelDirectUploadInput, DirectUpload> = ['DELETE /v1/direct-uploads/{uploadId}', 2]
export type CreateDirectUploadInput = {
	/** The origin of the only web page that may upload, such as `https://studio.example.org`; http is for localhost only. Without it, only programs may upload */
	corsOrigin?: string | undefined
	maxBytes?: number | undefined
	/** The media types that the browser may send, such as `video/*`; any if empty */
	contentTypes?: string[] | undefined
	expiresInSec?: number | undefined
	newAsset: {
		title: string
		description?: string | null | undefined
		/** `public` and `unlisted` assets play for everyone with the playback id; only `public` ones may appear in lists. `signed` assets play only with a playback token */
		visibility?: "public" | "unlisted" | "signed" | undefined
		publicSettings?: {
			allowDownload?: boolean | undefined
			showTranscript?: boolean | undefined
			showChapters?: boolean | undefined
			showHighlights?: boolean | undefined
			showComments?: boolean | undefined
		} | undefined
		metadata?: Record<string, string> | undefined
		collectionId?: string | null | undefined
		/** Processes the asset as soon as its source is stored, by any kind of upload or import. If processing is refused then, such as by a limit of the tier, the asset stays `uploaded`: call `processAsset` later */
		process?: "whenUploaded" | undefined
		processOptions?: {
			aiOptions?: {
				transcription?: boolean | undefined
				subtitles?: boolean | undefined
				chapters?: boolean | undefined
				highlights?: boolean | undefined
			} | undefined
			playback?: "complete" | "early" | undefined
		} | undefined
	}
}
/** Let a browser upload one file, without a credential of its own */
export const createDirectUpload: Operation<CreateDirectUploadInput, NewDirectUpload> = ['POST /v1/direct-uploads', 19]
export type GetDirectUploadInput = {
	uploadId: string
}
/** Get a direct upload */
export const getDirectUpload: Operation<GetDirectUploadInput, DirectUpload> = ['GET /v1/direct-uploads/{uploadId}', 2]
export type ListDirectUploadsInput = {
	limit?: number | undefined
	cursor?: string | undefined
}
/** List direct uploads, newest first */
export const listDirectUploads: Operation<ListDirectUploadsInput, DirectUpload[], DirectUpload> = ['GET /v1/direct-uploads', 6]
export type UploadDirectlyInput = {
	uploadToken: string
	body: FileBody
}
export type UploadDirectlyOutput = {
	id: string
	status: "asset_created"
}
/** Upload the file of a direct upload, whole or in chunks */
export const uploadDirectly: Operation<UploadDirectlyInput, UploadDirectlyOutput> = ['PUT /upload/direct/{uploadToken}', 34]
export type CreateEventStreamTokenInput = {
	/** Event types; none stands for all that the caller may read */
	types?: EventTypeInput[] | undefined
}
export type CreateEventStreamTokenOutput = {
	token: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
}
/** Create a token that opens the stream of events once */
export const createEventStreamToken: Operation<CreateEventStreamTokenInput, CreateEventStreamTokenOutput> = ['POST /v1/events/stream-tokens', 18]
export type ReadEventsInput = {
	/** The sequence of the last event that was read; 0 starts with the oldest one */
	after?: number | undefined
	/** Event types, comma-separated */
	types?: string | undefined
	limit?: number | undefined
	/** Seconds to wait for an event, at most 25 */
	wait?: number | undefined
}
export type ReadEventsOutput = {
	data: Event[]
	/** The value of `after` for the next call */
	next: number
}
/** Read the events of the organization in order */
export const readEvents: Operation<ReadEventsInput, ReadEventsOutput> = ['GET /v1/events']
export type StreamEventsInput = {
	/** A stream token, instead of a credential in a header. It has the types */
	token?: string | undefined
	/** Event types, comma-separated */
	types?: string | undefined
	/** The sequence of the last event that was read */
	after?: string | undefined
}
/** Stream the events of the organization as server-sent events */
export const streamEvents: Operation<StreamEventsInput, Response, ServerSentEvent> = ['GET /v1/events/stream', 128]
/** Check that the server responds */
export const healthLive: Operation<Record<string, never>, Health> = ['GET /health/live']
/** Check that the database responds */
export const healthReady: Operation<Record<string, never>, Health> = ['GET /health/ready']
export type DeleteHighlightInput = {
	assetId: string
	highlightId: string
}
export type DeleteHighlightOutput = {
	id: string
	deleted: true
}
/** Delete a highlight with its clip */
export const deleteHighlight: Operation<DeleteHighlightInput, DeleteHighlightOutput> = ['DELETE /v1/assets/{assetId}/highlights/{highlightId}', 2]
export type UpdateHighlightInput = {
	assetId: string
	highlightId: string
} & {
	title?: string | undefined
	description?: string | undefined
}
/** Change the title and description of a highlight */
export const updateHighlight: Operation<UpdateHighlightInput, Highlight> = ['PATCH /v1/assets/{assetId}/highlights/{highlightId}', 18]
export type EndImpersonationInput = {
	orgId: string
	impersonationId: string
}
export type EndImpersonationOutput = {
	id: string
	ended: true
}
/** End the impersonation of a member */
export const endImpersonation: Operation<EndImpersonationInput, EndImpersonationOutput> = ['DELETE /v1/orgs/{orgId}/impersonations/{impersonationId}', 2]
export type ListImpersonationsInput = {
	orgId: string
	limit?: number | undefined
	cursor?: string | undefined
}
/** List when superadmins acted as members of the organization, newest first */
export const listImpersonations: Operation<ListImpersonationsInput, Impersonation[], Impersonation> = ['GET /v1/orgs/{orgId}/impersonations', 6]
export type AcceptInvitationInput = {
	token: string
}
/** Accept an invitation to an organization */
export const acceptInvitation: Operation<AcceptInvitationInput, Org> = ['POST /v1/orgs/invitations/accept', 19]
export type ListInvitationsInput = {
	orgId: string
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the invitations of an organization, newest first */
export const listInvitations: Operation<ListInvitationsInput, Invitation[], Invitation> = ['GET /v1/orgs/{orgId}/invitations', 6]
export type RevokeInvitationInput = {
	orgId: string
	invitationId: string
}
export type RevokeInvitationOutput = {
	id: string
	deleted: true
}
/** Revoke an open invitation */
export const revokeInvitation: Operation<RevokeInvitationInput, RevokeInvitationOutput> = ['DELETE /v1/orgs/{orgId}/invitations/{invitationId}', 2]
export type CreateMemberTokenInput = {
	/** The membership id, as used in `/community_members/{memberId}` */
	community_member_id: number
	community_id?: number | undefined
	/** The managed member to add if nobody has the `sso_user_id` */
	create?: {
		name: string
		/** An address that nobody proved: nothing is sent to it, and nobody signs in with it */
		email?: string | null | undefined
		avatar_url?: string | null | undefined
		headline?: string | null | undefined
		bio?: string | null | undefined
		/** Values by field key. The type of the field decides the value: a string for `text`, `textarea` and `url`, a number for `number`, a boolean for `checkbox`, `YYYY-MM-DD` for `date`, an option for `select`, an array of options for `multi_select`. null removes the value of a field that is not required. */
		profile_fields?: Record<string, string | number | boolean | string[] | null> | undefined
		/** Access groups to add the member to, without expiry */
		access_group_ids?: number[] | undefined
	} | undefined
} | {
	email: string
	community_id?: number | undefined
	/** The managed member to add if nobody has the `sso_user_id` */
	create?: {
		name: string
		/** An address that nobody proved: nothing is sent to it, and nobody signs in with it */
		email?: string | null | undefined
		avatar_url?: string | null | undefined
		headline?: string | null | undefined
		bio?: string | null | undefined
		/** Values by field key. The type of the field decides the value: a string for `text`, `textarea` and `url`, a number for `number`, a boolean for `checkbox`, `YYYY-MM-DD` for `date`, an option for `select`, an array of options for `multi_select`. null removes the value of a field that is not required. */
		profile_fields?: Record<string, string | number | boolean | string[] | null> | undefined
		/** Access groups to add the member to, without expiry */
		access_group_ids?: number[] | undefined
	} | undefined
} | {
	sso_user_id: string
	community_id?: number | undefined
	/** The managed member to add if nobody has the `sso_user_id` */
	create?: {
		name: string
		/** An address that nobody proved: nothing is sent to it, and nobody signs in with it */
		email?: string | null | undefined
		avatar_url?: string | null | undefined
		headline?: string | null | undefined
		bio?: string | null | undefined
		/** Values by field key. The type of the field decides the value: a string for `text`, `textarea` and `url`, a number for `number`, a boolean for `checkbox`, `YYYY-MM-DD` for `date`, an option for `select`, an array of options for `multi_select`. null removes the value of a field that is not required. */
		profile_fields?: Record<string, string | number | boolean | string[] | null> | undefined
		/** Access groups to add the member to, without expiry */
		access_group_ids?: number[] | undefined
	} | undefined
}
/** Create tokens for a member with an API key */
export const createMemberToken: Operation<CreateMemberTokenInput, MemberTokens> = ['POST /api/v1/headless/auth_token', 17]
export type ExchangeSignInCodeInput = {
	code: string
	code_verifier: string
}
/** Exchange the code of a sign-in for member tokens */
export const exchangeSignInCode: Operation<ExchangeSignInCodeInput, MemberTokens> = ['POST /api/headless/v1/sign_in/token', 16]
export type ListMemberTokensInput = {
	communityId: number
	memberId: number
}
/** List the sign-ins of a member by token, newest first */
export const listMemberTokens: Operation<ListMemberTokensInput, MemberTokenGrant[]> = ['GET /v1/communities/{communityId}/members/{memberId}/tokens', 2]
export type RefreshMemberTokenInput = {
	refresh_token: string
}
/** Exchange a refresh token for new tokens */
export const refreshMemberToken: Operation<RefreshMemberTokenInput, MemberTokens> = ['PATCH /api/v1/headless/access_token/refresh', 16]
export type RevokeMemberTokensInput = {
	communityId: number
	memberId: number
}
export type RevokeMemberTokensOutput = {
	/** The membership id, as used in `/community_members/{memberId}` */
	memberId: number
	revoked: number
}
/** Revoke all tokens of a member */
export const revokeMemberTokens: Operation<RevokeMemberTokensInput, RevokeMemberTokensOutput> = ['DELETE /v1/communities/{communityId}/members/{memberId}/tokens', 2]
export type RevokeMemberAccessTokenInput = {
	access_token: string
}
/** Revoke every access token of this sign-in; the refresh token stays valid */
export const revokeMemberAccessToken: Operation<RevokeMemberAccessTokenInput, undefined> = ['POST /api/v1/headless/access_token/revoke', 273]
export type RevokeMemberRefreshTokenInput = {
	refresh_token: string
}
/** Revoke every refresh and access token of this sign-in */
export const revokeMemberRefreshToken: Operation<RevokeMemberRefreshTokenInput, undefined> = ['POST /api/v1/headless/refresh_token/revoke', 273]
export type InviteMemberInput = {
	orgId: string
} & {
	email: string
	role?: "owner" | "admin" | "member" | undefined
}
/** Invite a member by email */
export const inviteMember: Operation<InviteMemberInput, Invitation> = ['POST /v1/orgs/{orgId}/members', 19]
export type ListMembersInput = {
	orgId: string
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the members of an organization, oldest first */
export const listMembers: Operation<ListMembersInput, OrgMember[], OrgMember> = ['GET /v1/orgs/{orgId}/members', 6]
export type RemoveMemberInput = {
	orgId: string
	userId: number
}
export type RemoveMemberOutput = {
	userId: number
	deleted: true
}
/** Remove a member, or leave the organization */
export const removeMember: Operation<RemoveMemberInput, RemoveMemberOutput> = ['DELETE /v1/orgs/{orgId}/members/{userId}', 2]
export type UpdateMemberInput = {
	orgId: string
	userId: number
} & {
	role: "owner" | "admin" | "member"
}
/** Change the role of a member */
export const updateMember: Operation<UpdateMemberInput, OrgMember> = ['PATCH /v1/orgs/{orgId}/members/{userId}', 18]
export type CreateOrgInput = {
	name: string
	slug?: string | undefined
}
/** Create an organization with the caller as owner */
export const createOrg: Operation<CreateOrgInput, Org> = ['POST /v1/orgs', 19]
export type GetOrgInput = {
	orgId: string
}
/** Get an organization */
export const getOrg: Operation<GetOrgInput, Org> = ['GET /v1/orgs/{orgId}', 2]
export type GetOrgUsageInput = {
	orgId: string
}
/** Get the usage and limits of an organization */
export const getOrgUsage: Operation<GetOrgUsageInput, OrgUsage> = ['GET /v1/orgs/{orgId}/usage', 2]
export type ListOrgsInput = {
	limit?: number | undefined
	cursor?: string | undefined
}
/** List the organizations of the signed-in user, oldest first */
export const listOrgs: Operation<ListOrgsInput, Org[], Org> = ['GET /v1/orgs', 6]
export type SetSupportAccessInput = {
	orgId: string
} & {
	allowed: boolean
}
export type SetSupportAccessOutput = {
	allowed: boolean
}
/** Decide whether superadmins may act as members of the organization */
export const setSupportAccess: Operation<SetSupportAccessInput, SetSupportAccessOutput> = ['PUT /v1/orgs/{orgId}/support-access', 18]
export type UpdateOrgInput = {
	orgId: string
} & {
	name?: string | undefined
	slug?: string | undefined
	webhookUrl?: string | null | undefined
}
/** Update the name, slug or webhook URL of an organization */
export const updateOrg: Operation<UpdateOrgInput, Org> = ['PATCH /v1/orgs/{orgId}', 18]
export type CreatePasskeyInput = {
	name: string
	credential: NewPasskeyCredential
}
export type CreatePasskeyOutput = {
	passkey: Passkey
	recoveryCodes: string[] | null
}
/** Register a passkey */
export const createPasskey: Operation<CreatePasskeyInput, CreatePasskeyOutput> = ['POST /v1/auth/passkeys', 19]
export type CreatePasskeyOptionsOutput = {
	publicKey: {
		challenge: string
		timeout: number
		rp: {
			id: string
			name: string
		}
		user: {
			id: string
			name: string
			displayName: string
		}
		pubKeyCredParams: {
			type: "public-key"
			alg: number
		}[]
		excludeCredentials: {
			type: "public-key"
			id: string
		}[]
		authenticatorSelection: {
			residentKey: "required"
			requireResidentKey: true
			userVerification: "required"
		}
		attestation: "none"
	}
}
/** Get the options to create a passkey with */
export const createPasskeyOptions: Operation<Record<string, never>, CreatePasskeyOptionsOutput> = ['POST /v1/auth/passkeys/registration-options', 2]
export type CreateSignInOptionsOutput = {
	publicKey: {
		challenge: string
		timeout: number
		rpId: string
		allowCredentials: {
			type: "public-key"
			id: string
		}[]
		userVerification: "required"
	}
}
/** Get the options to sign in or reauthenticate with a passkey */
export const createSignInOptions: Operation<Record<string, never>, CreateSignInOptionsOutput> = ['POST /v1/auth/passkeys/sign-in-options', 2]
export type DeletePasskeyInput = {
	passkeyId: string
}
export type DeletePasskeyOutput = {
	id: string
	deleted: true
}
/** Delete a passkey */
export const deletePasskey: Operation<DeletePasskeyInput, DeletePasskeyOutput> = ['DELETE /v1/auth/passkeys/{passkeyId}', 2]
/** List the passkeys of the signed-in user, newest first */
export const listPasskeys: Operation<Record<string, never>, Passkey[]> = ['GET /v1/auth/passkeys', 2]
export type SignInWithPasskeyInput = {
	passkey: PasskeyAssertion
}
/** Sign in with a passkey */
export const signInWithPasskey: Operation<SignInWithPasskeyInput, SignedIn> = ['POST /v1/auth/passkeys/sign-in', 18]
export type UpdatePasskeyInput = {
	passkeyId: string
} & {
	name: string
}
/** Rename a passkey */
export const updatePasskey: Operation<UpdatePasskeyInput, Passkey> = ['PATCH /v1/auth/passkeys/{passkeyId}', 18]
export type CreateCommentInput = {
	playbackId: string
	/** A playback token; required if the asset is `signed` */
	token?: string | undefined
} & {
	authorName: string
	body: string
	timestampSec?: number | null | undefined
}
/** Comment on a video or a moment of it */
export const createComment: Operation<CreateCommentInput, Comment> = ['POST /v1/playback/{playbackId}/comments', 19, 'token']
export type DownloadVideoInput = {
	playbackId: string
	/** `source` for the uploaded file, `best` for the best MP4, or the `quality` of an H.264 rendition (`720p`). The default is the source, or the best MP4 if the source is not kept. The MP4s are created after the asset becomes ready, the best one first. */
	quality?: string | undefined
	/** A playback token; required if the asset is `signed` */
	token?: string | undefined
}
/** Get a download URL of a video */
export const downloadVideo: Operation<DownloadVideoInput, Download> = ['GET /v1/playback/{playbackId}/download', 2]
export type DownloadVideoAudioInput = {
	playbackId: string
	/** A playback token; required if the asset is `signed` */
	token?: string | undefined
}
/** Get a download URL of the audio of a video */
export const downloadVideoAudio: Operation<DownloadVideoAudioInput, Download> = ['GET /v1/playback/{playbackId}/audio', 2]
export type GetPlaybackInput = {
	playbackId: string
	/** A playback token; required if the asset is `signed` */
	token?: string | undefined
}
/** Get everything that a player needs to play an asset */
export const getPlayback: Operation<GetPlaybackInput, PlaybackRecord> = ['GET /v1/playback/{playbackId}', 2]
export type GetOEmbedInput = {
	/** The address of a video on this installation: `/watch/…` or `/embed/…` */
	url: string
	maxwidth?: number | undefined
	maxheight?: number | undefined
	/** `json`; any other format gets 501 */
	format?: string | undefined
}
/** Get what another site needs to embed a video */
export const getOEmbed: Operation<GetOEmbedInput, OEmbed> = ['GET /oembed']
export type GetPublicSettingsInput = {
	playbackId?: string | undefined
	/** A playback token; required if the asset is `signed` */
	token?: string | undefined
	/** The slug of the organization */
	org?: string | undefined
}
/** Get the branding and player defaults of an organization */
export const getPublicSettings: Operation<GetPublicSettingsInput, PublicOrgSettings> = ['GET /v1/settings/public', 2]
export type GetReactionsInput = {
	playbackId: string
	/** A random id that the player creates and stores for each viewer */
	sessionId?: string | undefined
	/** A playback token; required if the asset is `signed` */
	token?: string | undefined
}
/** Get the emoji reactions to a video */
export const getReactions: Operation<GetReactionsInput, Reactions> = ['GET /v1/playback/{playbackId}/reactions', 2]
export type GetThumbnailInput = {
	playbackId: string
	v?: string | undefined
	/** A playback token; required if the asset is `signed` */
	token?: string | undefined
	/** The width of a smaller variant, in WebP. Returns the original if it is not wider, is animated or cannot be resized */
	w?: "320" | "640" | "1280" | undefined
}
/** Get the thumbnail of an asset */
export const getThumbnail: Operation<GetThumbnailInput, Response> = ['GET /v1/playback/{playbackId}/thumbnail', 64]
export type ListCommentsInput = {
	playbackId: string
	limit?: number | undefined
	cursor?: string | undefined
	/** A playback token; required if the asset is `signed` */
	token?: string | undefined
}
/** List the comments on a video, newest first */
export const listComments: Operation<ListCommentsInput, Comment[], Comment> = ['GET /v1/playback/{playbackId}/comments', 6]
export type ListHighlightsInput = {
	playbackId: string
	/** A playback token; required if the asset is `signed` */
	token?: string | undefined
}
/** List the highlights of an asset whose clips are ready, in the order of the video */
export const listHighlights: Operation<ListHighlightsInput, PublicHighlight[]> = ['GET /v1/playback/{playbackId}/highlights', 2]
export type ToggleReactionInput = {
	playbackId: string
	/** A playback token; required if the asset is `signed` */
	token?: string | undefined
} & {
	emoji: "👍" | "❤️" | "😂" | "😮" | "😢" | "👏" | "🔥" | "🎉"
	/** A random id that the player creates and stores for each viewer */
	sessionId: string
}
/** Add or remove an emoji reaction */
export const toggleReaction: Operation<ToggleReactionInput, Reactions> = ['POST /v1/playback/{playbackId}/reactions', 19, 'token']
export type BeginTotpOutput = {
	/** Base32, to type into the app; returned only here */
	secret: string
	/** The same as an `otpauth:` URL, to show as a QR code */
	otpauthUrl: string
	/** ISO 8601, UTC, milliseconds */
	expiresAt: string
}
/** Create a secret for an authenticator app */
export const beginTotp: Operation<Record<string, never>, BeginTotpOutput> = ['POST /v1/auth/second-factor/totp', 3]
export type ConfirmTotpInput = {
	code: string
}
export type ConfirmTotpOutput = {
	recoveryCodes: string[] | null
}
/** Set up the authenticator app with its first code */
export const confirmTotp: Operation<ConfirmTotpInput, ConfirmTotpOutput> = ['POST /v1/auth/second-factor/totp/confirm', 19]
/** Get the second factors of the signed-in user */
export const getSecondFactor: Operation<Record<string, never>, SecondFactor> = ['GET /v1/auth/second-factor', 2]
export type RemoveTotpOutput = {
	deleted: true
}
/** Remove the authenticator app */
export const removeTotp: Operation<Record<string, never>, RemoveTotpOutput> = ['DELETE /v1/auth/second-factor/totp', 2]
export type ReplaceRecoveryCodesOutput = {
	/** 10 codes, each of which replaces the second factor once. They are returned only here. */
	recoveryCodes: string[]
}
/** Replace the recovery codes */
export const replaceRecoveryCodes: Operation<Record<string, never>, ReplaceRecoveryCodesOutput> = ['POST /v1/auth/second-factor/recovery-codes', 3]
export type VerifySecondFactorInput = {
	ticket: string
	totp: string
} | {
	ticket: string
	recoveryCode: string
}
/** Complete a sign-in with a second factor */
export const verifySecondFactor: Operation<VerifySecondFactorInput, SignedIn> = ['POST /v1/auth/second-factor/verify', 18]
/** List the sessions of the user, newest first */
export const listSessions: Operation<Record<string, never>, Session[]> = ['GET /v1/auth/sessions', 2]
export type RevokeSessionInput = {
	sessionId: string
}
export type RevokeSessionOutput = {
	id: string
	revoked: true
}
/** Revoke a session */
export const revokeSession: Operation<RevokeSessionInput, RevokeSessionOutput> = ['DELETE /v1/auth/sessions/{sessionId}', 2]
export type RevokeOtherSessionsOutput = {
	/** How many there were */
	revoked: number
}
/** Revoke every session of the user except the current one */
export const revokeOtherSessions: Operation<Record<string, never>, RevokeOtherSessionsOutput> = ['DELETE /v1/auth/sessions', 2]
/** Remove the logo of the organization */
export const deleteLogo: Operation<Record<string, never>, Settings> = ['DELETE /v1/settings/logo', 2]
/** Get the settings of the organization */
export const getSettings: Operation<Record<string, never>, Settings> = ['GET /v1/settings', 2]
/** Get the AI settings of the organization */
export const getAiSettings: Operation<Record<string, never>, AiSettings> = ['GET /v1/settings/ai', 2]
/** List the origins of web pages that may call the API */
export const getAllowedOrigins: Operation<Record<string, never>, AllowedOrigins> = ['GET /v1/settings/origins', 2]
/** Get the encoding settings of the organization */
export const getEncodingSettings: Operation<Record<string, never>, EncodingSettings> = ['GET /v1/settings/encoding', 2]
export type GetLogoInput = {
	logoFile: string
}
/** Download a logo */
export const getLogo: Operation<GetLogoInput, Response> = ['GET /v1/settings/logo/{logoFile}', 64]
/** Get what the organization asks of its members */
export const getSecuritySettings: Operation<Record<string, never>, SecuritySettings> = ['GET /v1/settings/security', 2]
export type ReplaceAllowedOriginsInput = {
	/** Origins such as `https://community.example.org` or `http://localhost:5173`, without a path. Plain http is for localhost only. Other scripts are converted to Punycode, and repeated origins are dropped. Replaces the list. */
	origins: string[]
}
/** Replace the origins of web pages that may call the API */
export const replaceAllowedOrigins: Operation<ReplaceAllowedOriginsInput, AllowedOrigins> = ['PUT /v1/settings/origins', 18]
export type SetLogoInput = {
	body: FileBody
}
/** Upload the logo of the organization: JPG, PNG or WebP */
export const setLogo: Operation<SetLogoInput, Settings> = ['PUT /v1/settings/logo', 34]
export type TestAiSettingsInput = {
	transcription?: {
		provider?: "openai-compatible" | "deepgram" | "assemblyai" | "workers-ai" | undefined
		baseUrl?: string | null | undefined
		model?: string | null | undefined
		language?: string | null | undefined
		pricePerMinuteMicros?: number | null | undefined
		apiKey?: string | null | undefined
	} | undefined
	languageModel?: {
		provider?: "openai-compatible" | "anthropic" | "workers-ai" | undefined
		baseUrl?: string | null | undefined
		model?: string | null | undefined
		/** The price of a million tokens that the model reads, in millionths of a dollar */
		inputPriceMicros?: number | null | undefined
		/** The price of a million tokens that the model writes, in millionths of a dollar. If one of the prices is null, only tokens are counted. */
		outputPriceMicros?: number | null | undefined
		apiKey?: string | null | undefined
	} | undefined
}
/** Test the provider for transcription, or the language model */
export const testAiSettings: Operation<TestAiSettingsInput, AiTest> = ['POST /v1/settings/ai/test', 19]
export type UpdateSettingsInput = {
	primaryColor?: string | undefined
	/** `auto` follows the preference of the viewer's device */
	theme?: "dark" | "light" | "auto" | undefined
	logoUrl?: null | undefined
	player?: {
		/** Browsers start videos by themselves only if they are muted */
		autoplay?: boolean | undefined
		muted?: boolean | undefined
		/** Whether captions are shown from the start */
		captions?: boolean | undefined
		/** Whether the player shows its controls */
		controls?: boolean | undefined
	} | undefined
	analytics?: {
		/** What is stored about playback sessions. `anonymous`: no country, no referrer, no browser, and visitors are not told apart. `nothing`: reports of players are dropped. */
		collect?: "full" | "anonymous" | "nothing" | undefined
		/** The same for viewers whose browser sends `DNT: 1` or `Sec-GPC: 1`, unless `collect` stores less */
		onDoNotTrack?: "full" | "anonymous" | "nothing" | undefined
		/** Whether players show how many people watch */
		showLiveCount?: boolean | undefined
	} | undefined
	/** Host names such as `example.org` or `*.example.org`, without scheme, port and path. Other scripts are converted to Punycode, and repeated hosts are dropped. */
	allowedEmbedDomains?: string[] | undefined
}
/** Change the branding, the player defaults, the analytics and the hosts that may embed videos */
export const updateSettings: Operation<UpdateSettingsInput, Settings> = ['PATCH /v1/settings', 18]
export type UpdateAiSettingsInput = {
	transcription?: {
		provider?: "openai-compatible" | "deepgram" | "assemblyai" | "workers-ai" | undefined
		baseUrl?: string | null | undefined
		model?: string | null | undefined
		language?: string | null | undefined
		pricePerMinuteMicros?: number | null | undefined
		apiKey?: string | null | undefined
	} | null | undefined
	languageModel?: {
		provider?: "openai-compatible" | "anthropic" | "workers-ai" | undefined
		baseUrl?: string | null | undefined
		model?: string | null | undefined
		/** The price of a million tokens that the model reads, in millionths of a dollar */
		inputPriceMicros?: number | null | undefined
		/** The price of a million tokens that the model writes, in millionths of a dollar. If one of the prices is null, only tokens are counted. */
		outputPriceMicros?: number | null | undefined
		apiKey?: string | null | undefined
	} | null | undefined
	limits?: {
		audioSecPerMonth?: number | null | undefined
		costMicrosPerMonth?: number | null | undefined
		tokensPerMonth?: number | null | undefined
	} | undefined
}
/** Choose the providers for transcription and for texts, and limit what they may cost */
export const updateAiSettings: Operation<UpdateAiSettingsInput, AiSettings> = ['PATCH /v1/settings/ai', 18]
export type UpdateEncodingSettingsInput = {
	codecs?: ("h264" | "hevc" | "av1")[] | undefined
}
/** Choose the video codecs: H.264, and optionally HEVC and AV1 */
export const updateEncodingSettings: Operation<UpdateEncodingSettingsInput, EncodingSettings> = ['PATCH /v1/settings/encoding', 18]
export type UpdateSecuritySettingsInput = {
	/** Whether people need a second factor to act in the organization. Without one they get 403 `second_factor_missing`. API keys, and members of communities in the member API, are not asked for one. */
	requireSecondFactor?: boolean | undefined
	/** Whether the creation of an API key needs a proof from the last 10 minutes. Otherwise it returns 403 `reauthentication_required`. */
	recentProofForApiKeys?: boolean | undefined
}
/** Change what the organization asks of its members */
export const updateSecuritySettings: Operation<UpdateSecuritySettingsInput, SecuritySettings> = ['PATCH /v1/settings/security', 18]
export type DeleteSubtitlesInput = {
	assetId: string
	/** A language tag (BCP 47) such as `en` or `pt-BR` */
	lang: string
}
export type DeleteSubtitlesOutput = {
	subtitles: Subtitles[]
	/** The latest translation into each language, also one that failed */
	translations: SubtitleTranslation[]
}
/** Delete the uploaded subtitles of an asset in one language */
export const deleteSubtitles: Operation<DeleteSubtitlesInput, DeleteSubtitlesOutput> = ['DELETE /v1/assets/{assetId}/subtitles/{lang}', 2]
export type ListSubtitlesInput = {
	assetId: string
}
export type ListSubtitlesOutput = {
	subtitles: Subtitles[]
	/** The latest translation into each language, also one that failed */
	translations: SubtitleTranslation[]
}
/** List the subtitles of an asset */
export const listSubtitles: Operation<ListSubtitlesInput, ListSubtitlesOutput> = ['GET /v1/assets/{assetId}/subtitles', 2]
export type SetSubtitlesInput = {
	assetId: string
	/** A language tag (BCP 47) such as `en` or `pt-BR` */
	lang: string
	body: FileBody
}
export type SetSubtitlesOutput = {
	subtitles: Subtitles[]
	/** The latest translation into each language, also one that failed */
	translations: SubtitleTranslation[]
}
/** Upload the subtitles of an asset in one language: WebVTT or SRT */
export const setSubtitles: Operation<SetSubtitlesInput, SetSubtitlesOutput> = ['PUT /v1/assets/{assetId}/subtitles/{lang}', 34]
export type TranslateSubtitlesInput = {
	assetId: string
} & {
	languages: string[]
	/** The language of the subtitles to translate. If omitted, those of the transcript, else uploaded ones. */
	from?: string | undefined
	/** Whether to replace what somebody uploaded before this request */
	force?: boolean | undefined
}
export type TranslateSubtitlesOutput = {
	subtitles: Subtitles[]
	/** The latest translation into each language, also one that failed */
	translations: SubtitleTranslation[]
}
/** Translate the subtitles of an asset with the language model of the organization */
export const translateSubtitles: Operation<TranslateSubtitlesInput, TranslateSubtitlesOutput> = ['POST /v1/assets/{assetId}/subtitles/translations', 19]
export type GetTranscriptInput = {
	assetId: string
}
export type GetTranscriptOutput = {
	transcript: Transcript
}
/** Get the transcript of an asset */
export const getTranscript: Operation<GetTranscriptInput, GetTranscriptOutput> = ['GET /v1/assets/{assetId}/transcript', 2]
export type ReplaceTranscriptInput = {
	assetId: string
} & {
	transcript: {
		/** If omitted, the language stays */
		language?: string | null | undefined
		segments: {
			/** Seconds from the beginning of the video */
			start: number
			end: number
			text: string
			/** The times of the words. Where they differ from `text`, or are missing, known words keep their times, and the others share the time between them */
			words?: {
				word: string
				/** Seconds from the beginning of the video */
				start: number
				end: number
			}[] | undefined
			/** Whether the text is probably not what was said; it is left out of the subtitles */
			suspect?: boolean | undefined
		}[]
	}
}
export type ReplaceTranscriptOutput = {
	transcript: Transcript
}
/** Replace the transcript of an asset, and its subtitles */
export const replaceTranscript: Operation<ReplaceTranscriptInput, ReplaceTranscriptOutput> = ['PATCH /v1/assets/{assetId}/transcript', 18]
export type CompleteUploadInput = {
	assetId: string
} & {
	/** In bytes */
	fileSize?: number | undefined
	checksum?: {
		algorithm: "md5" | "sha256"
		digest: string
	} | undefined
}
export type CompleteUploadOutput = {
	id: string
	status: "uploaded"
	/** The size of the stored source */
	sourceSizeBytes: number
}
/** Complete a presigned upload */
export const completeUpload: Operation<CompleteUploadInput, CompleteUploadOutput> = ['POST /v1/assets/{assetId}/upload-complete', 19]
export type CreateUploadTokenInput = {
	assetId: string
} & {
	fileSize: number
}
export type CreateUploadTokenOutput = {
	token: string
	/** The key of the source in storage */
	sourceKey: string
}
/** Create a token for a resumable upload, valid for 15 minutes */
export const createUploadToken: Operation<CreateUploadTokenInput, CreateUploadTokenOutput> = ['POST /v1/assets/{assetId}/upload-token', 19]
export type CreateUploadUrlInput = {
	assetId: string
} & {
	writeOnce?: boolean | undefined
}
/** Create a presigned URL to PUT the source to */
export const createUploadUrl: Operation<CreateUploadUrlInput, UploadUrl> = ['POST /v1/assets/{assetId}/upload-url', 19]
export type ImportSourceInput = {
	assetId: string
} & {
	sourceUrl: string
}
export type ImportSourceOutput = {
	id: string
	status: "uploaded"
}
/** Import the source from a URL */
export const importSource: Operation<ImportSourceInput, ImportSourceOutput> = ['POST /v1/assets/{assetId}/import', 19]
export type UploadSourceInput = {
	assetId: string
	body: FileBody
}
export type UploadSourceOutput = {
	id: string
	status: "uploaded"
	/** The size of the stored source */
	sourceSizeBytes: number
	/** The key of the source in storage */
	sourceKey: string
}
/** Upload the source in one request or in chunks */
export const uploadSource: Operation<UploadSourceInput, UploadSourceOutput> = ['PUT /v1/assets/{assetId}/upload', 34]
export type CreateWebhookEndpointInput = {
	orgId: string
} & {
	/** An https URL on port 443 or 8443 of a public host outside this installation, without a user name. Operators may allow more */
	url: string
	/** The event types to deliver; null for all, including types that are added later */
	types?: EventTypeInput[] | null | undefined
	/** `thin` delivers only ids in `data`; fetch the rest from the API */
	payload?: "full" | "thin" | undefined
	/** `resource` delivers the events of one asset, comment, member, post or event in order. A later one waits until the earlier ones are delivered or have failed for good */
	order?: "none" | "resource" | undefined
	/** How many requests may run at a time */
	maxInFlight?: number | undefined
}
/** Create a webhook endpoint */
export const createWebhookEndpoint: Operation<CreateWebhookEndpointInput, WebhookEndpointWithSecret> = ['POST /v1/orgs/{orgId}/webhooks/endpoints', 19]
export type DeleteWebhookEndpointInput = {
	orgId: string
	endpointId: string
}
export type DeleteWebhookEndpointOutput = {
	id: string
	deleted: true
}
/** Delete a webhook endpoint with its delivery log */
export const deleteWebhookEndpoint: Operation<DeleteWebhookEndpointInput, DeleteWebhookEndpointOutput> = ['DELETE /v1/orgs/{orgId}/webhooks/endpoints/{endpointId}', 2]
export type GetWebhookEndpointInput = {
	orgId: string
	endpointId: string
}
/** Get a webhook endpoint */
export const getWebhookEndpoint: Operation<GetWebhookEndpointInput, WebhookEndpoint> = ['GET /v1/orgs/{orgId}/webhooks/endpoints/{endpointId}', 2]
export type ListWebhookEndpointsInput = {
	orgId: string
}
/** List the webhook endpoints of an organization, oldest first */
export const listWebhookEndpoints: Operation<ListWebhookEndpointsInput, WebhookEndpoint[]> = ['GET /v1/orgs/{orgId}/webhooks/endpoints', 2]
export type RotateWebhookSecretInput = {
	orgId: string
	endpointId: string
} & {
	force?: boolean | undefined
}
/** Replace the signing secret of a webhook endpoint */
export const rotateWebhookSecret: Operation<RotateWebhookSecretInput, WebhookEndpointWithSecret> = ['POST /v1/orgs/{orgId}/webhooks/endpoints/{endpointId}/rotate-secret', 19]
export type TestWebhookEndpointInput = {
	orgId: string
	endpointId: string
}
/** Send a test event to a webhook endpoint */
export const testWebhookEndpoint: Operation<TestWebhookEndpointInput, WebhookTestResult> = ['POST /v1/orgs/{orgId}/webhooks/endpoints/{endpointId}/test', 3]
export type UpdateWebhookEndpointInput = {
	orgId: string
	endpointId: string
} & {
	/** An https URL on port 443 or 8443 of a public host outside this installation, without a user name. Operators may allow more */
	url?: string | undefined
	/** The event types to deliver; null for all, including types that are added later */
	types?: EventTypeInput[] | null | undefined
	/** `thin` delivers only ids in `data`; fetch the rest from the API */
	payload?: "full" | "thin" | undefined
	/** `resource` delivers the events of one asset, comment, member, post or event in order. A later one waits until the earlier ones are delivered or have failed for good */
	order?: "none" | "resource" | undefined
	/** How many requests may run at a time */
	maxInFlight?: number | undefined
	status?: "enabled" | "paused" | undefined
}
/** Update a webhook endpoint */
export const updateWebhookEndpoint: Operation<UpdateWebhookEndpointInput, WebhookEndpoint> = ['PATCH /v1/orgs/{orgId}/webhooks/endpoints/{endpointId}', 18]
export type GetWebhookEventInput = {
	orgId: string
	eventId: string
}
export type GetWebhookEventOutput = {
	event: Event
	deliveries: WebhookDeliveryLog[]
}
/** Get an event with its deliveries and their attempts */
export const getWebhookEvent: Operation<GetWebhookEventInput, GetWebhookEventOutput> = ['GET /v1/orgs/{orgId}/webhooks/events/{eventId}', 2]
export type ListWebhookEventsInput = {
	orgId: string
	limit?: number | undefined
	cursor?: string | undefined
	type?: EventTypeInput | undefined
	/** `failed` after the last attempt: nothing more is sent unless you retry */
	status?: "pending" | "delivered" | "failed" | undefined
	endpointId?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	since?: string | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	until?: string | undefined
}
/** List the webhook deliveries of an organization, newest event first */
export const listWebhookEvents: Operation<ListWebhookEventsInput, WebhookDelivery[], WebhookDelivery> = ['GET /v1/orgs/{orgId}/webhooks/events', 6]
export type RecoverWebhookEventsInput = {
	orgId: string
} & {
	/** `next` of the previous call */
	after?: number | undefined
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	since: string
	/** ISO 8601 with `Z` or an offset, within the years 1 to 9999 in UTC */
	until?: string | undefined
	types?: EventTypeInput[] | undefined
	only?: "failed" | "all" | undefined
	endpointId?: string | undefined
}
export type RecoverWebhookEventsOutput = {
	deliveries: number
	next: number | null
}
/** Deliver the events of a period again */
export const recoverWebhookEvents: Operation<RecoverWebhookEventsInput, RecoverWebhookEventsOutput> = ['POST /v1/orgs/{orgId}/webhooks/recover', 19]
export type RetryWebhookEventInput = {
	orgId: string
	eventId: string
} & {
	endpointId?: string | undefined
}
/** Deliver an event again, with the same webhook-id */
export const retryWebhookEvent: Operation<RetryWebhookEventInput, WebhookDelivery[]> = ['POST /v1/orgs/{orgId}/webhooks/events/{eventId}/retry', 19]
export type GetWebhookConfigInput = {
	orgId: string
}
/** Get the default webhook endpoint of an organization */
export const getWebhookConfig: Operation<GetWebhookConfigInput, WebhookEndpoint | null> = ['GET /v1/orgs/{orgId}/webhooks/config', 2]
export type TestWebhookConfigInput = {
	orgId: string
}
/** Send a test event to the default webhook endpoint */
export const testWebhookConfig: Operation<TestWebhookConfigInput, WebhookTestResult> = ['POST /v1/orgs/{orgId}/webhooks/config/test', 3]
export type UpdateWebhookConfigInput = {
	orgId: string
} & {
	url?: string | null | undefined
	/** The event types to deliver; null for all, including types that are added later */
	types?: EventTypeInput[] | null | undefined
	/** `thin` delivers only ids in `data`; fetch the rest from the API */
	payload?: "full" | "thin" | undefined
	/** `resource` delivers the events of one asset, comment, member, post or event in order. A later one waits until the earlier ones are delivered or have failed for good */
	order?: "none" | "resource" | undefined
	/** How many requests may run at a time */
	maxInFlight?: number | undefined
	status?: "enabled" | "paused" | undefined
}
export type UpdateWebhookConfigOutput = {
	id: string
	url: string
	/** The event types to deliver; null for all, including types that are added later */
	types: EventType[] | null
	/** `thin` delivers only ids in `data`; fetch the rest from the API */
	payload: "full" | "thin" | (string & {})
	/** `resource` delivers the events of one asset, comment, member, post or event in order. A later one waits until the earlier ones are delivered or have failed for good */
	order: "none" | "resource" | (string & {})
	/** How many requests may run at a time */
	maxInFlight: number
	/** `paused` by you: events wait. `disabled` by the service or the receiver: events are not delivered; see `statusReason` */
	status: "enabled" | "paused" | "disabled" | (string & {})
	statusReason: string | null
	/** Whether this is the endpoint of `/webhooks/config` */
	isDefault: boolean
	failingSince: string | null
	lastSuccessAt: string | null
	lastFailureAt: string | null
	/** Set while deliveries are held back because the endpoint fails or asked for a break */
	nextAttemptAt: string | null
	/** Until then, the former secret signs as well */
	previousSecretEndsAt: string | null
	/** ISO 8601, UTC, milliseconds */
	createdAt: string
	/** ISO 8601, UTC, milliseconds */
	updatedAt: string
	/** The signing secret, shown only here: `whsec_` and base64, as in Standard Webhooks */
	secret?: string
} | null
/** Create or update the default webhook endpoint of an organization */
export const updateWebhookConfig: Operation<UpdateWebhookConfigInput, UpdateWebhookConfigOutput> = ['PATCH /v1/orgs/{orgId}/webhooks/config', 18]
/** Every operation, by resource. */
export type Resources = {
	account: {
		/**
		 * Cancel the deletion of the account
		 *
		 * Returns 404 if the token is unknown, or its request was cancelled, has started or is completed.
		 *
		 * `POST /api/users/account/cancel-deletion/`
		 * Errors: `forbidden` (403), `not_found` (404), `not_configured` (501)
		 */
		cancelDeletion(input: CancelAccountDeletionInput, options?: CallOptions): Call<CancelAccountDeletionOutput>
		/**
		 * Export the personal data of the account as a zip of JSON files
		 *
		 * Contains one file per kind of record with one record per line, and a README that explains the files.
		 *
		 * `GET /api/users/account/export/`
		 * Errors: `reauthentication_required` (403)
		 */
		export(input?: Record<string, never>, options?: CallOptions): Call<Response>
		/**
		 * Get the status of a pending account deletion
		 *
		 * `GET /api/users/account/deletion-status/`
		 */
		getDeletionStatus(input?: Record<string, never>, options?: CallOptions): Call<GetDeletionStatusOutput>
		/**
		 * Schedule the account for deletion in 30 days
		 *
		 * Until then the account works as before, and the token in the confirmation email cancels the request.
		 *
		 * `POST /api/users/account/request-deletion/`
		 * Errors: `reauthentication_required` (403), `not_configured` (501)
		 */
		requestDeletion(input: RequestAccountDeletionInput, options?: CallOptions): Call<DeletionStatus>
	}
	admin: {
		/**
		 * Delete an account now, without the grace period
		 *
		 * Use it for a formal request that can't wait. Executes the open request of the user, or creates one.
		 *
		 * `POST /v1/admin/account-deletions/expedite`
		 * Errors: `reauthentication_required` (403), `not_found` (404), `conflict` (409), `not_configured` (501)
		 */
		expediteDeletion(input: ExpediteDeletionInput, options?: CallOptions): Call<ExpediteDeletionOutput>
		/**
		 * Get the calls of each provider for AI in the last 24 hours
		 *
		 * `GET /v1/stats/ai`
		 */
		getAiStats(input?: Record<string, never>, options?: CallOptions): Call<AiStats>
		/**
		 * Get the status of database, storage, queue, mail and machines
		 *
		 * Returns 200 even if a part is down; the fields `ok` show which.
		 *
		 * `GET /v1/diagnostics`
		 */
		getDiagnostics(input?: GetDiagnosticsInput, options?: CallOptions): Call<Diagnostics>
		/**
		 * Get the queue of the fleet and its work in the last 24 hours
		 *
		 * `GET /v1/stats/fleet`
		 */
		getFleetStats(input?: Record<string, never>, options?: CallOptions): Call<FleetStats>
		/**
		 * Get the totals of the installation
		 *
		 * Organizations, people, videos and storage, counted each hour. Videos in the trash count only as storage.
		 *
		 * `GET /v1/stats/installation`
		 */
		getInstallationStats(input?: Record<string, never>, options?: CallOptions): Call<InstallationStats | null>
		/**
		 * List the work of each machine in the last 24 hours
		 *
		 * `GET /v1/stats/workers`
		 */
		getWorkerStats(input?: Record<string, never>, options?: CallOptions): Call<WorkerStats[]>
		/**
		 * See an organization as one of its members does
		 *
		 * Returns a token with which most reads of the organization work as for that member, and with `write` some changes.
		 *
		 * `POST /v1/admin/impersonate`
		 * Errors: `reauthentication_required` (403), `not_found` (404), `not_configured` (501)
		 */
		impersonate(input: ImpersonateInput, options?: CallOptions): Call<ImpersonateOutput>
		/**
		 * Repeat account deletions after restoring a backup
		 *
		 * Reads one page of the erasure ledger, which is stored outside the database; send `cursor` back until it is null.
		 *
		 * `POST /v1/admin/erasures/replay`
		 * Errors: `not_configured` (501)
		 */
		replayErasures(input?: ReplayErasuresInput, options?: CallOptions): Call<ReplayErasuresOutput>
		/**
		 * Encrypt stored secrets again under the current AUTH_SECRET
		 *
		 * `POST /v1/admin/secrets/reseal`
		 * Errors: `not_configured` (501)
		 */
		resealSecrets(input?: ResealSecretsInput, options?: CallOptions): Call<ResealSecretsOutput>
		/**
		 * Remove the second factors of a user who lost them
		 *
		 * Removes the authenticator app, passkeys and recovery codes, and ends every session and member token of the account.
		 *
		 * `DELETE /v1/admin/users/{userId}/second-factor`
		 * Errors: `reauthentication_required` (403), `not_found` (404)
		 */
		resetSecondFactor(input: ResetSecondFactorInput, options?: CallOptions): Call<ResetSecondFactorOutput>
		assetErrors: {
			/**
			 * List the errors of assets, grouped by what their messages have in common
			 *
			 * The group that was last seen comes first.
			 *
			 * `GET /v1/admin/asset-errors`
			 */
			list(input?: ListAssetErrorsInput, options?: CallOptions): Call<AssetErrorGroup[], AssetErrorGroup>
			/**
			 * List the assets that have an error of a group, newest first
			 *
			 * `GET /v1/admin/asset-errors/{fingerprint}/assets`
			 * Errors: `not_found` (404)
			 */
			listAssets(input: ListAssetsWithErrorInput, options?: CallOptions): Call<AssetWithError[], AssetWithError>
			/**
			 * Process the assets of a group again
			 *
			 * Oldest first, at most 25 in one call, with the options of their last processing.
			 *
			 * `POST /v1/admin/asset-errors/{fingerprint}/retry`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			retry(input: RetryAssetErrorsInput, options?: CallOptions): Call<RetryAssetErrorsOutput>
		}
		auditChain: {
			/**
			 * List the rows of the audit log with their hash chain, oldest first
			 *
			 * For `scripts/operate/audit-verify.ts`, which recomputes the chain.
			 *
			 * `GET /v1/admin/audit-log/chain`
			 */
			list(input?: ListAuditChainInput, options?: CallOptions): Call<AuditChainPage>
		}
		auditLog: {
			/**
			 * Download the audit log of the installation and of its organizations
			 *
			 * Returns the entries as CSV (RFC 4180) with a header line, newest first, at most 100,000.
			 *
			 * `GET /v1/admin/audit-log/csv`
			 */
			getCsv(input?: GetInstallationAuditLogCsvInput, options?: CallOptions): Call<Response>
			/**
			 * List the audit log of the installation and of its organizations
			 *
			 * Newest first. Entries are never changed or deleted; a person who is erased is removed from them.
			 *
			 * `GET /v1/admin/audit-log`
			 */
			list(input?: ListInstallationAuditLogInput, options?: CallOptions): Call<AuditEntry[], AuditEntry>
		}
		backups: {
			/**
			 * Get the download URL of a backup
			 *
			 * The file is a zip of encrypted parts, which `npm run operate -- restore` reads. Each call is audited.
			 *
			 * `GET /v1/backups/{backupId}/download`
			 * Errors: `reauthentication_required` (403), `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			createDownload(input: CreateBackupDownloadInput, options?: CallOptions): Call<CreateBackupDownloadOutput>
			/**
			 * Delete a backup
			 *
			 * A backup that is running is ended, and leaves nothing.
			 *
			 * `DELETE /v1/backups/{backupId}`
			 * Errors: `reauthentication_required` (403), `not_found` (404)
			 */
			delete(input: DeleteBackupInput, options?: CallOptions): Call<DeleteBackupOutput>
			/**
			 * List backups of the database, newest first
			 *
			 * `GET /v1/backups`
			 */
			list(input?: ListBackupsInput, options?: CallOptions): Call<Backup[], Backup>
			/**
			 * Start a backup of the database
			 *
			 * One runs at a time. Videos are not part of it.
			 *
			 * `POST /v1/backups/run`
			 * Errors: `conflict` (409), `not_configured` (501)
			 */
			run(input?: RunBackupInput, options?: CallOptions): Call<Backup>
			/**
			 * Start a drill of a backup
			 *
			 * Restores the backup into a scratch database and compares both. The list of backups shows the result.
			 *
			 * `POST /v1/backups/{backupId}/verify`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			verify(input: VerifyBackupInput, options?: CallOptions): Call<Backup>
		}
		deadLetters: {
			/**
			 * Delete a message that failed for good
			 *
			 * `DELETE /v1/admin/dead-letters/{deadLetterId}`
			 * Errors: `not_found` (404)
			 */
			discard(input: DiscardDeadLetterInput, options?: CallOptions): Call<DiscardDeadLetterOutput>
			/**
			 * List queue messages that failed for good, newest first
			 *
			 * They are kept for 90 days.
			 *
			 * `GET /v1/admin/dead-letters`
			 */
			list(input?: ListDeadLettersInput, options?: CallOptions): Call<DeadLetter[], DeadLetter>
			/**
			 * Send a message to its queue again
			 *
			 * Once. If it fails for good again, it is listed as another dead letter.
			 *
			 * `POST /v1/admin/dead-letters/{deadLetterId}/retry`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			retry(input: RetryDeadLetterInput, options?: CallOptions): Call<DeadLetter>
		}
		machines: {
			/**
			 * Evict a machine
			 *
			 * Revokes the token and the leases of the machine and closes its WebSocket.
			 *
			 * `POST /v1/diagnostics/workers/{machineId}/evict`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			evict(input: EvictMachineInput, options?: CallOptions): Call<EvictMachineOutput>
			/**
			 * List transcoding machines, newest first
			 *
			 * `GET /v1/diagnostics/workers`
			 */
			list(input?: ListMachinesInput, options?: CallOptions): Call<Machine[], Machine>
			/**
			 * Pause a machine
			 *
			 * The machine finishes its current tasks and gets no new ones until it is started.
			 *
			 * `POST /v1/diagnostics/workers/{machineId}/pause`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			pause(input: PauseMachineInput, options?: CallOptions): Call<PauseMachineOutput>
			/**
			 * Allow an evicted machine to register again
			 *
			 * If its daemon is still running, the machine registers again within a minute. Its old tokens stay revoked.
			 *
			 * `POST /v1/diagnostics/workers/{machineId}/readmit`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			readmit(input: ReadmitMachineInput, options?: CallOptions): Call<ReadmitMachineOutput>
			/**
			 * Set what an hour of a machine costs
			 *
			 * In any currency, the same for all machines. Statistics then show the cost of a minute of video.
			 *
			 * `PUT /v1/diagnostics/workers/{machineId}/price`
			 * Errors: `not_found` (404)
			 */
			setPrice(input: SetMachinePriceInput, options?: CallOptions): Call<SetMachinePriceOutput>
			/**
			 * Sign off machines that registered with an earlier FLEET_TOKEN
			 *
			 * Ends tokens, leases and WebSockets, as an eviction does.
			 *
			 * `POST /v1/diagnostics/workers/sign-off-outdated`
			 * Errors: `not_configured` (501)
			 */
			signOffOutdated(input?: Record<string, never>, options?: CallOptions): Call<SignOffOutdatedMachinesOutput>
			/**
			 * Start a machine, or end its pause
			 *
			 * Ends the pause, if there is one, and wakes the machine through its WebSocket so that it claims a task at once.
			 *
			 * `POST /v1/diagnostics/workers/{machineId}/start`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			start(input: StartMachineInput, options?: CallOptions): Call<StartMachineOutput>
		}
		orgs: {
			/**
			 * Get an organization with its usage and owners
			 *
			 * `GET /v1/admin/orgs/{orgId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetAnyOrgInput, options?: CallOptions): Call<AdminOrgDetail>
			/**
			 * List the organizations of the installation, newest first
			 *
			 * `GET /v1/admin/orgs`
			 */
			list(input?: ListAllOrgsInput, options?: CallOptions): Call<AdminOrg[], AdminOrg>
			/**
			 * List the assets of any organization, newest first
			 *
			 * `GET /v1/admin/orgs/{orgId}/assets`
			 * Errors: `not_found` (404)
			 */
			listAssets(input: ListAssetsOfOrgInput, options?: CallOptions): Call<AssetSummary[], AssetSummary>
			/**
			 * Suspend an organization for a reason
			 *
			 * `billing` refuses new uploads and encodes.
			 *
			 * `POST /v1/admin/orgs/{orgId}/suspend`
			 * Errors: `reauthentication_required` (403), `not_found` (404), `not_configured` (501)
			 */
			suspend(input: SuspendOrgInput, options?: CallOptions): Call<SuspensionState>
			/**
			 * Lift one reason for which an organization is suspended
			 *
			 * Once no reason is left, everything works as before: waiting tasks are claimed, and held webhooks are delivered.
			 *
			 * `POST /v1/admin/orgs/{orgId}/unsuspend`
			 * Errors: `reauthentication_required` (403), `not_found` (404), `not_configured` (501)
			 */
			unsuspend(input: UnsuspendOrgInput, options?: CallOptions): Call<SuspensionState>
			/**
			 * Give an organization another tier until a date
			 *
			 * The limits of the tier apply at once, and end by themselves at `until`. `tier: null` ends the override now.
			 *
			 * `PATCH /v1/admin/orgs/{orgId}/tier`
			 * Errors: `reauthentication_required` (403), `not_found` (404)
			 */
			updateTier(input: UpdateOrgTierInput, options?: CallOptions): Call<AdminOrg>
		}
		users: {
			/**
			 * Take the rights of a superadmin from an account
			 *
			 * The last superadmin can't be demoted.
			 *
			 * `DELETE /v1/admin/users/{userId}/superadmin`
			 * Errors: `reauthentication_required` (403), `not_found` (404), `conflict` (409)
			 */
			demote(input: DemoteUserInput, options?: CallOptions): Call<AdminUser>
			/**
			 * End every session and member token of an account
			 *
			 * `DELETE /v1/admin/users/{userId}/sessions`
			 * Errors: `reauthentication_required` (403), `not_found` (404)
			 */
			endSessions(input: EndUserSessionsInput, options?: CallOptions): Call<EndUserSessionsOutput>
			/**
			 * Get an account with its sessions and organizations
			 *
			 * `GET /v1/admin/users/{userId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetUserInput, options?: CallOptions): Call<AdminUserDetail>
			/**
			 * List the people of the installation, newest first
			 *
			 * With `q`, finds the person with this id, and people whose address or name starts with it.
			 *
			 * `GET /v1/admin/users`
			 */
			list(input?: ListUsersInput, options?: CallOptions): Call<AdminUser[], AdminUser>
			/**
			 * Lock an account
			 *
			 * Ends every session and member token of the account.
			 *
			 * `POST /v1/admin/users/{userId}/lock`
			 * Errors: `reauthentication_required` (403), `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			lock(input: LockUserInput, options?: CallOptions): Call<AdminUser>
			/**
			 * Make an account a superadmin
			 *
			 * The account must have a verified email address and must not be locked.
			 *
			 * `PUT /v1/admin/users/{userId}/superadmin`
			 * Errors: `reauthentication_required` (403), `not_found` (404), `conflict` (409)
			 */
			promote(input: PromoteUserInput, options?: CallOptions): Call<AdminUser>
			/**
			 * Unlock an account
			 *
			 * API keys of the account work again. Sessions and member tokens stay ended.
			 *
			 * `POST /v1/admin/users/{userId}/unlock`
			 * Errors: `reauthentication_required` (403), `not_found` (404), `not_configured` (501)
			 */
			unlock(input: UnlockUserInput, options?: CallOptions): Call<AdminUser>
		}
		webhookFailures: {
			/**
			 * List the webhook endpoints that fail, the newest failure first
			 *
			 * `GET /v1/admin/webhook-failures`
			 */
			list(input?: ListWebhookFailuresInput, options?: CallOptions): Call<WebhookFailure[], WebhookFailure>
			/**
			 * Deliver again what an endpoint missed
			 *
			 * `POST /v1/admin/webhook-failures/{endpointId}/recover`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			recover(input: RecoverWebhookFailuresInput, options?: CallOptions): Call<RecoverWebhookFailuresOutput>
		}
	}
	analytics: {
		/**
		 * Download a table of the analytics of an asset
		 *
		 * Returns one table of `getAssetAnalytics` for the same period as CSV (RFC 4180) with a header line.
		 *
		 * `GET /v1/assets/{assetId}/analytics/csv`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		getCsvOfAsset(input: GetAssetAnalyticsCsvInput, options?: CallOptions): Call<Response>
		/**
		 * Get the number of live viewers of an asset
		 *
		 * `GET /v1/assets/{assetId}/live-count`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		getLiveCount(input: GetLiveCountInput, options?: CallOptions): Call<LiveCount>
		/**
		 * Get the analytics of an asset
		 *
		 * Returns counts, watch time, retention, a time series, and where and how well the video played.
		 *
		 * `GET /v1/assets/{assetId}/analytics`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		getOfAsset(input: GetAssetAnalyticsInput, options?: CallOptions): Call<AssetAnalytics>
		/**
		 * Get the analytics of all videos of the organization
		 *
		 * `GET /v1/analytics/overview`
		 * Errors: `not_configured` (501)
		 */
		getOverview(input?: GetAnalyticsOverviewInput, options?: CallOptions): Call<AnalyticsOverview>
		/**
		 * Download a table of the overview of the organization
		 *
		 * Returns one table of `getAnalyticsOverview` for the same period as CSV (RFC 4180) with a header line.
		 *
		 * `GET /v1/analytics/overview/csv`
		 * Errors: `not_configured` (501)
		 */
		getOverviewCsv(input?: GetAnalyticsOverviewCsvInput, options?: CallOptions): Call<Response>
		/**
		 * Get the time line of a playback session
		 *
		 * Takes the id of a session, or the report id that the player shows when playback fails.
		 *
		 * `GET /v1/assets/{assetId}/sessions/{sessionId}`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		getPlaybackSession(input: GetPlaybackSessionInput, options?: CallOptions): Call<GetPlaybackSessionOutput>
		/**
		 * Report events of a player
		 *
		 * `POST /v1/analytics/events`
		 * Errors: `not_configured` (501)
		 */
		sendPlayerEvents(input: SendPlayerEventsInput, options?: CallOptions): Call<SendPlayerEventsOutput>
		/**
		 * Stream the number of live viewers of an asset as server-sent events
		 *
		 * `GET /v1/assets/{assetId}/live-stream`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		streamLiveCount(input: StreamLiveCountInput, options?: CallOptions): Call<Response, ServerSentEvent>
	}
	apiKeys: {
		/**
		 * Create an API key
		 *
		 * `key` is returned only once. The key works while the user who created it is an owner or admin of the organization.
		 *
		 * `POST /v1/orgs/{orgId}/api-keys`
		 * Errors: `plan_limit` (403), `reauthentication_required` (403), `not_found` (404), `not_configured` (501)
		 */
		create(input: CreateApiKeyInput, options?: CallOptions): Call<NewApiKey>
		/**
		 * Delete an API key, which stops working at once
		 *
		 * `DELETE /v1/orgs/{orgId}/api-keys/{keyId}`
		 * Errors: `not_found` (404)
		 */
		delete(input: DeleteApiKeyInput, options?: CallOptions): Call<DeleteApiKeyOutput>
		/**
		 * List the API keys of an organization, newest first
		 *
		 * The keys themselves are never returned.
		 *
		 * `GET /v1/orgs/{orgId}/api-keys`
		 * Errors: `not_found` (404)
		 */
		list(input: ListApiKeysInput, options?: CallOptions): Call<ApiKey[], ApiKey>
	}
	assets: {
		/**
		 * Cancel a job that has not ended
		 *
		 * Machines stop at their next heartbeat.
		 *
		 * `POST /v1/jobs/{jobId}/cancel`
		 * Errors: `not_found` (404), `conflict` (409)
		 */
		cancelJob(input: CancelJobInput, options?: CallOptions): Call<Job>
		/**
		 * Change, process or delete many assets
		 *
		 * Takes up to 500 ids or a filter.
		 *
		 * `POST /v1/assets/bulk`
		 * Errors: `org_suspended` (403), `not_found` (404), `not_configured` (501)
		 */
		changeMany(input: ChangeAssetsInput, options?: CallOptions): Call<ChangeAssetsOutput>
		/**
		 * Count the assets of the organization by status
		 *
		 * Takes the filters of the list. Each count stops at 10,000.
		 *
		 * `GET /v1/assets/counts`
		 */
		count(input?: CountAssetsInput, options?: CallOptions): Call<AssetCounts>
		/**
		 * Create an asset
		 *
		 * Afterwards, upload or import its source.
		 *
		 * `POST /v1/assets`
		 * Errors: `plan_limit` (403), `not_found` (404), `not_configured` (501)
		 */
		create(input: CreateAssetInput, options?: CallOptions): Call<CreateAssetOutput>
		/**
		 * Create a playback token for a signed asset
		 *
		 * Send it as the query parameter `token` of the public playback operations.
		 *
		 * `POST /v1/assets/{assetId}/playback-token`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		createPlaybackToken(input: CreatePlaybackTokenInput, options?: CallOptions): Call<CreatePlaybackTokenOutput>
		/**
		 * Save a filter and a sort of the asset list under a name
		 *
		 * An organization has at most 100 saved views (409).
		 *
		 * `POST /v1/saved-views`
		 * Errors: `conflict` (409), `not_configured` (501)
		 */
		createSavedView(input: CreateSavedViewInput, options?: CallOptions): Call<SavedView>
		/**
		 * Delete an asset and its files permanently, or move the asset to the trash
		 *
		 * Without `trash`, the deletion is permanent, even if the asset is in the trash.
		 *
		 * `DELETE /v1/assets/{assetId}`
		 * Errors: `not_found` (404), `conflict` (409)
		 */
		delete(input: DeleteAssetInput, options?: CallOptions): Call<DeleteAssetOutput>
		/**
		 * Delete a saved view; assets stay unchanged
		 *
		 * `DELETE /v1/saved-views/{viewId}`
		 * Errors: `not_found` (404)
		 */
		deleteSavedView(input: DeleteSavedViewInput, options?: CallOptions): Call<DeleteSavedViewOutput>
		/**
		 * Get a download URL of the source or an MP4
		 *
		 * Returns 404 if the rendition does not exist or its file is not ready.
		 *
		 * `GET /v1/assets/{assetId}/download`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		download(input: DownloadAssetInput, options?: CallOptions): Call<Download>
		/**
		 * Get a download URL of the audio for speech recognition
		 *
		 * Returns 404 until the file is ready, and for a video without sound.
		 *
		 * `GET /v1/assets/{assetId}/ai-audio`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		downloadAiAudio(input: DownloadAiAudioInput, options?: CallOptions): Call<Download>
		/**
		 * Get a download URL of the playback audio
		 *
		 * Returns 404 until the file is ready, and for a video without sound.
		 *
		 * `GET /v1/assets/{assetId}/audio`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		downloadAudio(input: DownloadAudioInput, options?: CallOptions): Call<Download>
		/**
		 * Get an asset with its renditions, job and highlights
		 *
		 * `GET /v1/assets/{assetId}`
		 * Errors: `not_found` (404)
		 */
		get(input: GetAssetInput, options?: CallOptions): Call<Asset>
		/**
		 * Get a job, which is one processing of an asset
		 *
		 * The job that a request to process an asset returned.
		 *
		 * `GET /v1/jobs/{jobId}`
		 * Errors: `not_found` (404)
		 */
		getJob(input: GetJobInput, options?: CallOptions): Call<Job>
		/**
		 * Get the playback URLs of an asset
		 *
		 * Returns 409 until the asset is `ready`.
		 *
		 * `GET /v1/assets/{assetId}/playback`
		 * Errors: `not_found` (404), `conflict` (409)
		 */
		getPlayback(input: GetAssetPlaybackInput, options?: CallOptions): Call<AssetPlayback>
		/**
		 * Get where the time of an asset went
		 *
		 * Spans of the upload, the latest five processings with their tasks and attempts, and the AI steps, each with a sentence.
		 *
		 * `GET /v1/assets/{assetId}/timeline`
		 * Errors: `not_found` (404)
		 */
		getTimeline(input: GetAssetTimelineInput, options?: CallOptions): Call<AssetTimeline>
		/**
		 * List the assets of the organization
		 *
		 * `trashed=true` lists the assets in the trash, most recently trashed first, and takes no other filters or sort.
		 *
		 * `GET /v1/assets`
		 */
		list(input?: ListAssetsInput, options?: CallOptions): Call<AssetSummary[], AssetSummary>
		/**
		 * List the saved views of the asset list, oldest first
		 *
		 * All members of the organization share the views.
		 *
		 * `GET /v1/saved-views`
		 */
		listSavedViews(input?: Record<string, never>, options?: CallOptions): Call<SavedView[]>
		/**
		 * Make a custom thumbnail of the frame at a moment of the video
		 *
		 * A machine makes an image of the frame that is shown at `atSec`, in the size of the largest H.264 rendition.
		 *
		 * `POST /v1/assets/{assetId}/thumbnail`
		 * Errors: `validation` (400), `not_found` (404), `conflict` (409)
		 */
		makeThumbnail(input: MakeThumbnailInput, options?: CallOptions): Call<Thumbnail>
		/**
		 * Process an asset for playback
		 *
		 * Requires the status `uploaded`, `error` or `ready`.
		 *
		 * `POST /v1/assets/{assetId}/process`
		 * Errors: `plan_limit` (403), `not_found` (404), `conflict` (409), `not_configured` (501)
		 */
		process(input: ProcessAssetInput, options?: CallOptions): Call<ProcessAssetOutput>
		/**
		 * Remove the custom thumbnail and use a frame of the video
		 *
		 * `DELETE /v1/assets/{assetId}/thumbnail`
		 * Errors: `not_found` (404), `conflict` (409)
		 */
		resetThumbnail(input: ResetThumbnailInput, options?: CallOptions): Call<Thumbnail>
		/**
		 * Restore an asset from the trash
		 *
		 * The asset keeps everything except a collection that was deleted meanwhile, and plays again.
		 *
		 * `POST /v1/assets/{assetId}/restore`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		restore(input: RestoreAssetInput, options?: CallOptions): Call<Asset>
		/**
		 * Revoke every playback token of an asset
		 *
		 * Revokes the tokens of every audience, including those in manifest and image URLs.
		 *
		 * `DELETE /v1/assets/{assetId}/playback-token`
		 * Errors: `not_found` (404)
		 */
		revokePlaybackTokens(input: RevokePlaybackTokensInput, options?: CallOptions): Call<RevokePlaybackTokensOutput>
		/**
		 * Make the transcript, subtitles, chapters or highlights of an asset again
		 *
		 * Runs the given steps alone, without encoding the video again. A step that is running begins again.
		 *
		 * `POST /v1/assets/{assetId}/ai`
		 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
		 */
		runAiSteps(input: RunAiStepsInput, options?: CallOptions): Call<RunAiStepsOutput>
		/**
		 * Search assets by title, description and spoken words, newest first
		 *
		 * `GET /v1/assets/search`
		 */
		search(input?: SearchAssetsInput, options?: CallOptions): Call<AssetSearch>
		/**
		 * Upload a custom thumbnail: JPG, PNG or WebP
		 *
		 * The body is the image itself, with at most 50 million pixels and 16,384 on each side.
		 *
		 * `PUT /v1/assets/{assetId}/thumbnail`
		 * Errors: `validation` (400), `not_found` (404), `conflict` (409)
		 */
		setThumbnail(input: SetThumbnailInput, options?: CallOptions): Call<Thumbnail>
		/**
		 * Stream the processing progress of an asset as server-sent events
		 *
		 * Sends an event `progress` with an `AssetProgress` at once and after each change; comments keep the connection open.
		 *
		 * `GET /v1/assets/{assetId}/progress`
		 * Errors: `not_found` (404)
		 */
		streamProgress(input: StreamAssetProgressInput, options?: CallOptions): Call<Response, ServerSentEvent>
		/**
		 * Update an asset
		 *
		 * Omitted fields and settings keep their values; `metadata` is replaced as a whole.
		 *
		 * `PATCH /v1/assets/{assetId}`
		 * Errors: `not_found` (404), `precondition_failed` (412), `not_configured` (501)
		 * In `options.headers`: If-Match
		 */
		update(input: UpdateAssetInput, options?: CallOptions): Call<Asset>
		/**
		 * Update the audio settings of an asset
		 *
		 * `playback` is the audio that viewers hear and may download; `ai` is the audio for speech recognition.
		 *
		 * `PATCH /v1/assets/{assetId}/audio-config`
		 * Errors: `not_found` (404)
		 */
		updateAudioConfig(input: UpdateAudioConfigInput, options?: CallOptions): Call<AudioConfig>
		/**
		 * Update the name, filter or sort of a saved view
		 *
		 * A new `filter` replaces all fields of the previous one.
		 *
		 * `PATCH /v1/saved-views/{viewId}`
		 * Errors: `not_found` (404)
		 */
		updateSavedView(input: UpdateSavedViewInput, options?: CallOptions): Call<SavedView>
	}
	auditLog: {
		/**
		 * Download the audit log of an organization
		 *
		 * Returns the entries as CSV (RFC 4180) with a header line, newest first, at most 100,000.
		 *
		 * `GET /v1/orgs/{orgId}/audit-log/csv`
		 * Errors: `not_found` (404)
		 */
		getCsv(input: GetAuditLogCsvInput, options?: CallOptions): Call<Response>
		/**
		 * List who changed rights, keys, settings and members of an organization
		 *
		 * Newest first. Entries are never changed or deleted; a person who is erased is removed from them.
		 *
		 * `GET /v1/orgs/{orgId}/audit-log`
		 * Errors: `not_found` (404)
		 */
		list(input: ListAuditLogInput, options?: CallOptions): Call<AuditEntry[], AuditEntry>
	}
	auth: {
		/**
		 * Change the password and revoke all earlier tokens
		 *
		 * The response contains a new token, so the caller stays signed in; all other sessions end.
		 *
		 * `POST /v1/auth/change-password`
		 * Errors: `forbidden` (403), `reauthentication_required` (403), `not_configured` (501)
		 */
		changePassword(input: ChangePasswordInput, options?: CallOptions): Call<SignedIn>
		/**
		 * Change the email address with the emailed codes
		 *
		 * `currentCode` may be omitted only if the current address was never verified.
		 *
		 * `POST /v1/auth/email/change/confirm`
		 * Errors: `forbidden` (403), `conflict` (409), `not_configured` (501)
		 */
		confirmEmailChange(input: ConfirmEmailChangeInput, options?: CallOptions): Call<SignedIn>
		/**
		 * Get the signed-in user and their organizations
		 *
		 * `GET /v1/auth/me`
		 */
		getMe(input?: Record<string, never>, options?: CallOptions): Call<GetMeOutput>
		/**
		 * Get the preferences of the signed-in user
		 *
		 * `GET /v1/auth/me/preferences`
		 */
		getPreferences(input?: Record<string, never>, options?: CallOptions): Call<Preferences>
		/**
		 * Sign in with a password
		 *
		 * An unknown address and a wrong password get the same response in the same time.
		 *
		 * `POST /v1/auth/login`
		 * Errors: `second_factor_required` (401), `unauthorized` (401), `account_locked` (403), `not_configured` (501)
		 * In `options.headers`: X-Device-Token
		 */
		login(input: LoginInput, options?: CallOptions): Call<SignedIn>
		/**
		 * Sign out the current session
		 *
		 * `POST /v1/auth/logout`
		 * Errors: `not_configured` (501)
		 */
		logout(input?: Record<string, never>, options?: CallOptions): Call<LogoutOutput>
		/**
		 * Reauthenticate the user in the current session
		 *
		 * `POST /v1/auth/reauthenticate`
		 * Errors: `forbidden` (403), `reauthentication_required` (403), `not_configured` (501)
		 */
		reauthenticate(input: ReauthenticateInput, options?: CallOptions): Call<ReauthenticateOutput>
		/**
		 * Exchange a session token for a new one
		 *
		 * Takes the session token as a bearer token, even an expired one, while its session is valid.
		 *
		 * `POST /v1/auth/refresh`
		 * Errors: `unauthorized` (401)
		 */
		refreshToken(input?: Record<string, never>, options?: CallOptions): Call<SignedIn>
		/**
		 * Request a change of the email address
		 *
		 * Requires `currentPassword`, or a session that was opened with a code within the last 10 minutes.
		 *
		 * `POST /v1/auth/email/change`
		 * Errors: `forbidden` (403), `reauthentication_required` (403), `registration_closed` (403), `not_configured` (501)
		 */
		requestEmailChange(input: RequestEmailChangeInput, options?: CallOptions): Call<RequestEmailChangeOutput>
		/**
		 * Email a six-digit sign-in code
		 *
		 * The response does not reveal whether the address has an account.
		 *
		 * `POST /v1/auth/otp/send`
		 * Errors: `not_configured` (501)
		 * In `options.headers`: X-Device-Token
		 */
		sendCode(input: SendCodeInput, options?: CallOptions): Call<SendCodeOutput>
		/**
		 * Send another code to verify the email address
		 *
		 * Sign-up sends the first code. A code is valid once, for 10 minutes and 5 tries, and only the newest code works.
		 *
		 * `POST /v1/auth/email/verify/send`
		 * Errors: `conflict` (409), `not_configured` (501)
		 */
		sendVerification(input?: Record<string, never>, options?: CallOptions): Call<SendVerificationOutput>
		/**
		 * Create a user and a default organization
		 *
		 * The first user of an installation without a superadmin becomes its superadmin.
		 *
		 * `POST /v1/auth/signup`
		 * Errors: `org_suspended` (403), `plan_limit` (403), `registration_closed` (403), `not_found` (404), `conflict` (409), `not_configured` (501)
		 */
		signup(input: SignupInput, options?: CallOptions): Call<SignedUp>
		/**
		 * Get a token for another organization of the user
		 *
		 * `POST /v1/auth/switch-org`
		 * Errors: `org_suspended` (403), `not_found` (404), `not_configured` (501)
		 */
		switchOrg(input: SwitchOrgInput, options?: CallOptions): Call<SignedUp>
		/**
		 * Change the name of the signed-in user
		 *
		 * Communities show the new name too, unless the user chose another one there with PUT /api/headless/v1/profile.
		 *
		 * `PATCH /v1/auth/me`
		 * Errors: `not_configured` (501)
		 */
		updateMe(input: UpdateMeInput, options?: CallOptions): Call<UpdateMeOutput>
		/**
		 * Update the preferences of the signed-in user
		 *
		 * `null` restores the default of a field.
		 *
		 * `PATCH /v1/auth/me/preferences`
		 */
		updatePreferences(input: UpdatePreferencesInput, options?: CallOptions): Call<Preferences>
		/**
		 * Sign in with a code
		 *
		 * `POST /v1/auth/otp/verify`
		 * Errors: `no_account` (401), `second_factor_required` (401), `unauthorized` (401), `account_locked` (403), `not_configured` (501)
		 * In `options.headers`: X-Device-Token
		 */
		verifyCode(input: VerifyCodeInput, options?: CallOptions): Call<SignedIn>
		/**
		 * Verify the email address with an emailed code
		 *
		 * Password and sessions stay valid, since the holder of the session also reads the mail.
		 *
		 * `POST /v1/auth/email/verify`
		 * Errors: `forbidden` (403), `conflict` (409), `not_configured` (501)
		 */
		verifyEmail(input: VerifyEmailInput, options?: CallOptions): Call<User>
		/**
		 * Sign up with a code instead of a password
		 *
		 * Responds like signup. A wrong code uses up one of the tries and changes nothing else.
		 *
		 * `POST /v1/auth/otp/verify-signup`
		 * Errors: `unauthorized` (401), `org_suspended` (403), `plan_limit` (403), `registration_closed` (403), `not_found` (404), `conflict` (409), `not_configured` (501)
		 */
		verifySignupCode(input: VerifySignupCodeInput, options?: CallOptions): Call<SignedUp>
		/**
		 * Show whose credential this is: organization, scopes and expiry
		 *
		 * Works while the organization is suspended. A session without an organization gets 403; GET /v1/auth/me shows its user.
		 *
		 * `GET /v1/auth/whoami`
		 */
		whoAmI(input?: Record<string, never>, options?: CallOptions): Call<Identity>
	}
	billing: {
		/**
		 * Start a checkout for a tier, and get the URL of its page at Stripe
		 *
		 * Only the page of the last checkout of an organization can be paid: a new one expires the others.
		 *
		 * `POST /v1/billing/checkout`
		 * Errors: `conflict` (409), `not_configured` (501)
		 */
		createCheckout(input: CreateCheckoutInput, options?: CallOptions): Call<BillingUrl>
		/**
		 * Get the URL of the billing portal at Stripe
		 *
		 * The portal shows invoices, changes the tier and the payment method, and cancels the subscription.
		 *
		 * `POST /v1/billing/portal`
		 * Errors: `conflict` (409), `not_configured` (501)
		 */
		createPortal(input?: Record<string, never>, options?: CallOptions): Call<BillingUrl>
		/**
		 * Get the subscription of the organization
		 *
		 * `GET /v1/billing`
		 * Errors: `not_configured` (501)
		 */
		get(input?: Record<string, never>, options?: CallOptions): Call<Billing>
		/**
		 * Compare the subscription of the organization with Stripe now
		 *
		 * Pages to which people return from a checkout call this, since it is faster than the webhook of Stripe.
		 *
		 * `POST /v1/billing/sync`
		 * Errors: `not_configured` (501)
		 */
		sync(input?: Record<string, never>, options?: CallOptions): Call<Billing>
	}
	chapters: {
		/**
		 * Get the chapters of an asset
		 *
		 * `GET /v1/assets/{assetId}/chapters`
		 * Errors: `not_found` (404)
		 */
		get(input: GetChaptersInput, options?: CallOptions): Call<VideoChapters>
		/**
		 * Replace the chapters of an asset
		 *
		 * The first chapter begins at 0. Chapters are in ascending order, do not overlap, and end within the video.
		 *
		 * `PATCH /v1/assets/{assetId}/chapters`
		 * Errors: `not_found` (404), `conflict` (409), `precondition_failed` (412)
		 * In `options.headers`: If-Match
		 */
		replace(input: ReplaceChaptersInput, options?: CallOptions): Call<VideoChapters>
	}
	collections: {
		/**
		 * Create a collection
		 *
		 * `POST /v1/collections`
		 * Errors: `not_configured` (501)
		 */
		create(input: CreateCollectionInput, options?: CallOptions): Call<Collection>
		/**
		 * Delete a collection but keep its assets
		 *
		 * `DELETE /v1/collections/{collectionId}`
		 * Errors: `not_found` (404)
		 */
		delete(input: DeleteCollectionInput, options?: CallOptions): Call<DeleteCollectionOutput>
		/**
		 * Get a collection
		 *
		 * `GET /v1/collections/{collectionId}`
		 * Errors: `not_found` (404)
		 */
		get(input: GetCollectionInput, options?: CallOptions): Call<Collection>
		/**
		 * List the collections of the organization, oldest first
		 *
		 * `GET /v1/collections`
		 */
		list(input?: ListCollectionsInput, options?: CallOptions): Call<Collection[], Collection>
		/**
		 * Update the name or color of a collection
		 *
		 * `PATCH /v1/collections/{collectionId}`
		 * Errors: `not_found` (404), `precondition_failed` (412)
		 * In `options.headers`: If-Match
		 */
		update(input: UpdateCollectionInput, options?: CallOptions): Call<Collection>
	}
	comments: {
		/**
		 * Delete a comment for good
		 *
		 * `DELETE /v1/assets/{assetId}/comments/{commentId}`
		 * Errors: `not_found` (404)
		 */
		delete(input: DeleteCommentInput, options?: CallOptions): Call<DeleteCommentOutput>
		/**
		 * List the comments on an asset, including hidden ones, newest first
		 *
		 * `GET /v1/assets/{assetId}/comments`
		 * Errors: `not_found` (404)
		 */
		list(input: ListAssetCommentsInput, options?: CallOptions): Call<ModeratedComment[], ModeratedComment>
		/**
		 * Hide a comment from viewers, or show it again
		 *
		 * `PATCH /v1/assets/{assetId}/comments/{commentId}`
		 * Errors: `not_found` (404)
		 */
		update(input: UpdateCommentInput, options?: CallOptions): Call<ModeratedComment>
	}
	communities: {
		/**
		 * Check the DNS record of a custom domain now
		 *
		 * Allowed once a minute (429).
		 *
		 * `POST /v1/communities/{communityId}/domain/check`
		 * Errors: `not_found` (404), `too_many_requests` (429), `not_configured` (501)
		 */
		checkDomain(input: CheckCommunityDomainInput, options?: CallOptions): Call<CommunityDomain>
		/**
		 * Create a community
		 *
		 * A user who creates a community becomes its owner.
		 *
		 * `POST /v1/communities`
		 * Errors: `conflict` (409), `not_configured` (501)
		 */
		create(input: CreateCommunityInput, options?: CallOptions): Call<Community>
		/**
		 * Delete a community and its content for good
		 *
		 * The community disappears at once, and its slug and domain become available.
		 *
		 * `DELETE /v1/communities/{communityId}`
		 * Errors: `not_found` (404)
		 */
		delete(input: DeleteCommunityInput, options?: CallOptions): Call<DeleteCommunityOutput>
		/**
		 * Get a community
		 *
		 * `GET /v1/communities/{communityId}`
		 * Errors: `not_found` (404)
		 */
		get(input: GetCommunityInput, options?: CallOptions): Call<Community>
		/**
		 * Get the verification status of a custom domain
		 *
		 * Returns 404 without a custom domain.
		 *
		 * `GET /v1/communities/{communityId}/domain`
		 * Errors: `not_found` (404)
		 */
		getDomain(input: GetCommunityDomainInput, options?: CallOptions): Call<CommunityDomain>
		/**
		 * List the origins of web pages that may call the API for the community
		 *
		 * `GET /v1/communities/{communityId}/origins`
		 * Errors: `not_found` (404)
		 */
		getOrigins(input: GetCommunityOriginsInput, options?: CallOptions): Call<CommunityOrigins>
		/**
		 * List the communities of the organization, oldest first
		 *
		 * `GET /v1/communities`
		 */
		list(input?: ListCommunitiesInput, options?: CallOptions): Call<Community[], Community>
		/**
		 * Replace the origins of web pages that may call the API for the community
		 *
		 * `PUT /v1/communities/{communityId}/origins`
		 * Errors: `not_found` (404)
		 */
		replaceOrigins(input: ReplaceCommunityOriginsInput, options?: CallOptions): Call<CommunityOrigins>
		/**
		 * Update the name, slug, domain or reactions of a community
		 *
		 * A new domain must be verified again, and the previous one stops working at once.
		 *
		 * `PATCH /v1/communities/{communityId}`
		 * Errors: `not_found` (404), `conflict` (409), `precondition_failed` (412)
		 * In `options.headers`: If-Match
		 */
		update(input: UpdateCommunityInput, options?: CallOptions): Call<Community>
		accessGroups: {
			/**
			 * Create an access group
			 *
			 * The members of an access group see its private and secret spaces.
			 *
			 * `POST /v1/communities/{communityId}/access-groups`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			create(input: CreateAccessGroupInput, options?: CallOptions): Call<AccessGroup>
			/**
			 * Delete an access group
			 *
			 * Its members lose the access that the group gave them.
			 *
			 * `DELETE /v1/communities/{communityId}/access-groups/{accessGroupId}`
			 * Errors: `not_found` (404)
			 */
			delete(input: DeleteAccessGroupInput, options?: CallOptions): Call<DeleteAccessGroupOutput>
			/**
			 * Get an access group
			 *
			 * `GET /v1/communities/{communityId}/access-groups/{accessGroupId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetAccessGroupInput, options?: CallOptions): Call<AccessGroup>
			/**
			 * List access groups, oldest first
			 *
			 * `GET /v1/communities/{communityId}/access-groups`
			 * Errors: `not_found` (404)
			 */
			list(input: ListAccessGroupsInput, options?: CallOptions): Call<AccessGroup[], AccessGroup>
			/**
			 * List the members of an access group, in the order in which they were added
			 *
			 * `GET /v1/communities/{communityId}/access-groups/{accessGroupId}/members`
			 * Errors: `not_found` (404)
			 */
			listMembers(input: ListAccessGroupMembersInput, options?: CallOptions): Call<AccessGroupMember[], AccessGroupMember>
			/**
			 * List the access groups of a member, by id
			 *
			 * `GET /v1/communities/{communityId}/members/{memberId}/access-groups`
			 * Errors: `not_found` (404)
			 */
			listOfMember(input: ListAccessGroupsOfMemberInput, options?: CallOptions): Call<AccessGroupOfMember[]>
			/**
			 * List the spaces of an access group, by id
			 *
			 * `GET /v1/communities/{communityId}/access-groups/{accessGroupId}/spaces`
			 * Errors: `not_found` (404)
			 */
			listSpaces(input: ListAccessGroupSpacesInput, options?: CallOptions): Call<AccessGroupSpace[]>
			/**
			 * Add a member to an access group
			 *
			 * The access lasts until `expiresAt`, or without limit if it is null. Repeat the call to change `expiresAt`.
			 *
			 * `PUT /v1/communities/{communityId}/access-groups/{accessGroupId}/members/{memberId}`
			 * Errors: `not_found` (404)
			 */
			putMember(input: PutAccessGroupMemberInput, options?: CallOptions): Call<PutAccessGroupMemberOutput>
			/**
			 * Add up to 1,000 members to an access group
			 *
			 * All of them get the same `expiresAt`, also those who are in the group.
			 *
			 * `PUT /v1/communities/{communityId}/access-groups/{accessGroupId}/members`
			 * Errors: `not_found` (404)
			 */
			putMembers(input: PutAccessGroupMembersInput, options?: CallOptions): Call<AddedGroupMember[]>
			/**
			 * Add a space to an access group
			 *
			 * `PUT /v1/communities/{communityId}/access-groups/{accessGroupId}/spaces/{spaceId}`
			 * Errors: `not_found` (404)
			 */
			putSpace(input: PutAccessGroupSpaceInput, options?: CallOptions): Call<PutAccessGroupSpaceOutput>
			/**
			 * Remove a member from an access group
			 *
			 * `DELETE /v1/communities/{communityId}/access-groups/{accessGroupId}/members/{memberId}`
			 * Errors: `not_found` (404)
			 */
			removeMember(input: RemoveAccessGroupMemberInput, options?: CallOptions): Call<RemoveAccessGroupMemberOutput>
			/**
			 * Remove a space from an access group
			 *
			 * `DELETE /v1/communities/{communityId}/access-groups/{accessGroupId}/spaces/{spaceId}`
			 * Errors: `not_found` (404)
			 */
			removeSpace(input: RemoveAccessGroupSpaceInput, options?: CallOptions): Call<RemoveAccessGroupSpaceOutput>
			/**
			 * Rename, archive or reactivate an access group
			 *
			 * `PATCH /v1/communities/{communityId}/access-groups/{accessGroupId}`
			 * Errors: `not_found` (404), `precondition_failed` (412)
			 * In `options.headers`: If-Match
			 */
			update(input: UpdateAccessGroupInput, options?: CallOptions): Call<AccessGroup>
		}
		identityProviders: {
			/**
			 * Add an OpenID provider with which people sign in to a community
			 *
			 * The installation reads `/.well-known/openid-configuration` of the issuer when somebody signs in.
			 *
			 * `POST /v1/communities/{communityId}/identity-providers`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			create(input: CreateIdentityProviderInput, options?: CallOptions): Call<IdentityProvider>
			/**
			 * Delete an OpenID provider, with which nobody signs in any more
			 *
			 * Members who signed in with it stay, and so do their tokens.
			 *
			 * `DELETE /v1/communities/{communityId}/identity-providers/{providerId}`
			 * Errors: `not_found` (404)
			 */
			delete(input: DeleteIdentityProviderInput, options?: CallOptions): Call<DeleteIdentityProviderOutput>
			/**
			 * List the OpenID providers with which people sign in to a community, oldest first
			 *
			 * Client secrets are never returned.
			 *
			 * `GET /v1/communities/{communityId}/identity-providers`
			 * Errors: `not_found` (404)
			 */
			list(input: ListIdentityProvidersInput, options?: CallOptions): Call<IdentityProvider[]>
			/**
			 * Change the label, the secret or the rule for joining of an OpenID provider
			 *
			 * Issuer and client id never change, because another provider could give the same `sub` to another person.
			 *
			 * `PATCH /v1/communities/{communityId}/identity-providers/{providerId}`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			update(input: UpdateIdentityProviderInput, options?: CallOptions): Call<IdentityProvider>
		}
		invitationLinks: {
			/**
			 * Create a link that many people may join with
			 *
			 * `POST /v1/communities/{communityId}/invitation-links`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			create(input: CreateInvitationLinkInput, options?: CallOptions): Call<NewInvitationLink>
			/**
			 * Join a community with an invitation link
			 *
			 * Needs a verified email address. Returns 404 if the token is unknown, revoked, expired or used up, and for banned people.
			 *
			 * `POST /v1/invitation-links/join`
			 * Errors: `email_unverified` (403), `not_found` (404), `not_configured` (501)
			 */
			join(input: JoinByInvitationLinkInput, options?: CallOptions): Call<JoinByInvitationLinkOutput>
			/**
			 * List the invitation links of a community, newest first
			 *
			 * The tokens are never returned.
			 *
			 * `GET /v1/communities/{communityId}/invitation-links`
			 * Errors: `not_found` (404)
			 */
			list(input: ListInvitationLinksInput, options?: CallOptions): Call<InvitationLink[], InvitationLink>
			/**
			 * Revoke an invitation link, which stops working at once
			 *
			 * People who joined with it stay.
			 *
			 * `DELETE /v1/communities/{communityId}/invitation-links/{linkId}`
			 * Errors: `not_found` (404)
			 */
			revoke(input: RevokeInvitationLinkInput, options?: CallOptions): Call<RevokeInvitationLinkOutput>
		}
		invitations: {
			/**
			 * Accept an invitation to a community
			 *
			 * The token comes from the invitation email, and only a user with the invited address may use it, once.
			 *
			 * `POST /v1/communities/invitations/accept`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			accept(input: AcceptCommunityInvitationInput, options?: CallOptions): Call<AcceptCommunityInvitationOutput>
			/**
			 * Invite a member to a community by email
			 *
			 * Sends a link that is valid for 7 days.
			 *
			 * `POST /v1/communities/{communityId}/invitations`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			create(input: InviteToCommunityInput, options?: CallOptions): Call<CommunityInvitation>
			/**
			 * List the invitations to a community, newest first
			 *
			 * Unknown parameters get 400.
			 *
			 * `GET /v1/communities/{communityId}/invitations`
			 * Errors: `not_found` (404)
			 */
			list(input: ListCommunityInvitationsInput, options?: CallOptions): Call<CommunityInvitation[], CommunityInvitation>
			/**
			 * Revoke an open invitation to a community
			 *
			 * `DELETE /v1/communities/{communityId}/invitations/{invitationId}`
			 * Errors: `not_found` (404)
			 */
			revoke(input: RevokeCommunityInvitationInput, options?: CallOptions): Call<RevokeCommunityInvitationOutput>
		}
		managedMemberships: {
			/**
			 * List managed memberships with your verified address
			 *
			 * Organizations added these members with your address, without an account. You may take each of them over.
			 *
			 * `GET /v1/auth/managed-memberships`
			 * Errors: `email_unverified` (403)
			 */
			list(input?: Record<string, never>, options?: CallOptions): Call<ManagedMembership[]>
			/**
			 * Take a managed membership with your verified address over
			 *
			 * The membership becomes yours, with its role, profile, access groups, posts, comments, bookmarks, follows and points.
			 *
			 * `POST /v1/auth/managed-memberships/{memberId}/merge`
			 * Errors: `email_unverified` (403), `reauthentication_required` (403), `not_found` (404), `conflict` (409)
			 */
			merge(input: MergeManagedMembershipInput, options?: CallOptions): Call<MergeManagedMembershipOutput>
		}
		members: {
			/**
			 * Invite a member, or add a managed member without an email
			 *
			 * `POST /v1/communities/{communityId}/members`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			add(input: AddCommunityMemberInput, options?: CallOptions): Call<CommunityMember | InvitedMember>
			/**
			 * Add or update up to 1,000 managed members
			 *
			 * `POST /v1/communities/{communityId}/members/batch`
			 * Errors: `not_found` (404)
			 */
			addMany(input: AddCommunityMembersInput, options?: CallOptions): Call<VouchedMemberResult[]>
			/**
			 * Export the personal data of a managed member as a zip of JSON files
			 *
			 * For the person, who has no account to ask for it: the same files as `GET /api/users/account/export/`.
			 *
			 * `GET /v1/communities/{communityId}/members/{memberId}/export`
			 * Errors: `not_found` (404), `conflict` (409)
			 */
			export(input: ExportManagedMemberInput, options?: CallOptions): Call<Response>
			/**
			 * Get a member
			 *
			 * `GET /v1/communities/{communityId}/members/{memberId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetCommunityMemberInput, options?: CallOptions): Call<CommunityMember>
			/**
			 * List active, inactive and banned members, oldest first
			 *
			 * Invited people are not members yet; see the invitations. Filters can be combined.
			 *
			 * `GET /v1/communities/{communityId}/members`
			 * Errors: `not_found` (404)
			 */
			list(input: ListCommunityMembersInput, options?: CallOptions): Call<CommunityMember[], CommunityMember>
			/**
			 * Remove a member
			 *
			 * The member disappears at once from every list, from events, and from the counts of reactions and followers.
			 *
			 * `DELETE /v1/communities/{communityId}/members/{memberId}`
			 * Errors: `not_found` (404), `conflict` (409)
			 */
			remove(input: RemoveCommunityMemberInput, options?: CallOptions): Call<RemoveCommunityMemberOutput>
			/**
			 * Update the role, status or profile of a member
			 *
			 * Only active members have access.
			 *
			 * `PATCH /v1/communities/{communityId}/members/{memberId}`
			 * Errors: `not_found` (404), `conflict` (409)
			 */
			update(input: UpdateCommunityMemberInput, options?: CallOptions): Call<CommunityMember>
		}
		points: {
			/**
			 * Award points to a member, or deduct points
			 *
			 * The balance is the sum of all transactions and may be negative.
			 *
			 * `POST /v1/communities/{communityId}/points`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			award(input: AwardPointsInput, options?: CallOptions): Call<PointTransaction>
			/**
			 * Get the point balance of a member
			 *
			 * `GET /v1/communities/{communityId}/members/{memberId}/points`
			 * Errors: `not_found` (404)
			 */
			getBalance(input: GetMemberPointsInput, options?: CallOptions): Call<GetMemberPointsOutput>
			/**
			 * List the point transactions of a community, newest first
			 *
			 * `GET /v1/communities/{communityId}/points`
			 * Errors: `not_found` (404)
			 */
			list(input: ListPointsInput, options?: CallOptions): Call<PointTransaction[], PointTransaction>
		}
		profileFields: {
			/**
			 * Create a profile field
			 *
			 * `POST /v1/communities/{communityId}/profile-fields`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			create(input: CreateProfileFieldInput, options?: CallOptions): Call<ManagedProfileField>
			/**
			 * Delete a profile field
			 *
			 * `DELETE /v1/communities/{communityId}/profile-fields/{fieldId}`
			 * Errors: `not_found` (404)
			 */
			delete(input: DeleteProfileFieldInput, options?: CallOptions): Call<DeleteProfileFieldOutput>
			/**
			 * List profile fields by position
			 *
			 * `GET /v1/communities/{communityId}/profile-fields`
			 * Errors: `not_found` (404)
			 */
			list(input: ListManagedProfileFieldsInput, options?: CallOptions): Call<ManagedProfileField[]>
			/**
			 * Update a profile field, except its key
			 *
			 * `PATCH /v1/communities/{communityId}/profile-fields/{fieldId}`
			 * Errors: `not_found` (404)
			 */
			update(input: UpdateProfileFieldInput, options?: CallOptions): Call<ManagedProfileField>
		}
		spaceGroups: {
			/**
			 * Create a space group
			 *
			 * `POST /v1/communities/{communityId}/space-groups`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			create(input: CreateSpaceGroupInput, options?: CallOptions): Call<SpaceGroup>
			/**
			 * Delete a space group but keep its spaces
			 *
			 * `DELETE /v1/communities/{communityId}/space-groups/{spaceGroupId}`
			 * Errors: `not_found` (404)
			 */
			delete(input: DeleteSpaceGroupInput, options?: CallOptions): Call<DeleteSpaceGroupOutput>
			/**
			 * List space groups by position
			 *
			 * `GET /v1/communities/{communityId}/space-groups`
			 * Errors: `not_found` (404)
			 */
			list(input: ListSpaceGroupsInput, options?: CallOptions): Call<SpaceGroup[]>
			/**
			 * Update a space group
			 *
			 * `PATCH /v1/communities/{communityId}/space-groups/{spaceGroupId}`
			 * Errors: `not_found` (404), `conflict` (409)
			 */
			update(input: UpdateSpaceGroupInput, options?: CallOptions): Call<SpaceGroup>
		}
		spaces: {
			/**
			 * Create a space
			 *
			 * `POST /v1/communities/{communityId}/spaces`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			create(input: CreateSpaceInput, options?: CallOptions): Call<Space>
			/**
			 * Delete an empty space
			 *
			 * Returns 409 if the space has posts or events. Hidden posts count too; restore and delete them first.
			 *
			 * `DELETE /v1/communities/{communityId}/spaces/{spaceId}`
			 * Errors: `not_found` (404), `conflict` (409)
			 */
			delete(input: DeleteSpaceInput, options?: CallOptions): Call<DeleteSpaceOutput>
			/**
			 * Get a space
			 *
			 * `GET /v1/communities/{communityId}/spaces/{spaceId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetManagedSpaceInput, options?: CallOptions): Call<Space>
			/**
			 * List all spaces of a community by position
			 *
			 * `GET /v1/communities/{communityId}/spaces`
			 * Errors: `not_found` (404)
			 */
			list(input: ListManagedSpacesInput, options?: CallOptions): Call<Space[]>
			/**
			 * Update a space
			 *
			 * `PATCH /v1/communities/{communityId}/spaces/{spaceId}`
			 * Errors: `not_found` (404), `conflict` (409), `precondition_failed` (412)
			 * In `options.headers`: If-Match
			 */
			update(input: UpdateSpaceInput, options?: CallOptions): Call<Space>
		}
		topics: {
			/**
			 * Create a topic
			 *
			 * `POST /v1/communities/{communityId}/topics`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			create(input: CreateCommunityTopicInput, options?: CallOptions): Call<TopicRef>
			/**
			 * Delete a topic but keep its posts
			 *
			 * `DELETE /v1/communities/{communityId}/topics/{topicId}`
			 * Errors: `not_found` (404)
			 */
			delete(input: DeleteCommunityTopicInput, options?: CallOptions): Call<DeleteCommunityTopicOutput>
			/**
			 * List the topics of a community by slug
			 *
			 * `GET /v1/communities/{communityId}/topics`
			 * Errors: `not_found` (404)
			 */
			list(input: ListCommunityTopicsInput, options?: CallOptions): Call<TopicRef[]>
			/**
			 * Update a topic, also on its posts
			 *
			 * `PATCH /v1/communities/{communityId}/topics/{topicId}`
			 * Errors: `not_found` (404), `conflict` (409)
			 */
			update(input: UpdateCommunityTopicInput, options?: CallOptions): Call<TopicRef>
		}
	}
	community: {
		/**
		 * Create a token that opens a live stream once
		 *
		 * For `EventSource`, which can send no headers: open `/api/headless/v1/stream?token=…` within 60 seconds.
		 *
		 * `POST /api/headless/v1/stream_tokens`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		createStreamToken(input?: CreateStreamTokenInput, options?: CallOptions): Call<StreamToken>
		/**
		 * Get what a sign-in page of the community needs
		 *
		 * `GET /api/headless/v1/community`
		 * Errors: `validation` (400), `forbidden` (403), `org_suspended` (403), `not_found` (404)
		 */
		getPublic(input?: Record<string, never>, options?: CallOptions): Call<PublicCommunity>
		/**
		 * List community links
		 *
		 * Always empty, because communities have no links.
		 *
		 * `GET /api/headless/v1/community_links`
		 * Errors: `not_found` (404)
		 */
		listLinks(input?: Record<string, never>, options?: CallOptions): Call<ListCommunityLinksOutput, unknown>
		/**
		 * Search posts and members together
		 *
		 * `GET /api/headless/v1/search`
		 * Errors: `not_found` (404)
		 */
		search(input: SearchCommunityInput, options?: CallOptions): Call<SearchCommunityOutput, SearchResult>
		/**
		 * Stream what happens in a community as server-sent events
		 *
		 * `GET /api/headless/v1/stream`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		stream(input?: StreamCommunityInput, options?: CallOptions): Call<Response, ServerSentEvent>
		bookmarks: {
			/**
			 * Bookmark a post
			 *
			 * Returns 200 if the post was already bookmarked.
			 *
			 * `POST /api/headless/v1/bookmarks`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			create(input: CreateBookmarkInput, options?: CallOptions): Call<Success>
			/**
			 * Remove the bookmark of a post
			 *
			 * Takes the id of the post, not of the bookmark. Succeeds if there is no bookmark.
			 *
			 * `DELETE /api/headless/v1/bookmarks/{postId}`
			 * Errors: `not_found` (404)
			 */
			delete(input: DeleteBookmarkInput, options?: CallOptions): Call<Success>
			/**
			 * List the caller's bookmarks, newest first
			 *
			 * Omits bookmarks of posts that the caller can't currently see.
			 *
			 * `GET /api/headless/v1/bookmarks`
			 * Errors: `not_found` (404)
			 */
			list(input?: ListBookmarksInput, options?: CallOptions): Call<ListBookmarksOutput, Bookmark>
			/**
			 * List the caller's bookmarks of posts in a space, newest first
			 *
			 * `GET /api/headless/v1/spaces/{spaceId}/bookmarks`
			 * Errors: `not_found` (404)
			 */
			listOfSpace(input: ListSpaceBookmarksInput, options?: CallOptions): Call<ListSpaceBookmarksOutput, SpaceBookmark>
		}
		comments: {
			/**
			 * Comment on a post
			 *
			 * `POST /api/headless/v1/posts/{postId}/comments`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			create(input: CreatePostCommentInput, options?: CallOptions): Call<PostComment>
			/**
			 * Delete a comment or reply
			 *
			 * Allowed for the author, and for moderators, admins and owners. The text is erased at once; hide a comment to keep it.
			 *
			 * `DELETE /api/headless/v1/comments/{commentId}`
			 * Errors: `not_found` (404)
			 */
			delete(input: DeletePostCommentInput, options?: CallOptions): Call<Success>
			/**
			 * Get a comment or reply
			 *
			 * `GET /api/headless/v1/comments/{commentId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetPostCommentInput, options?: CallOptions): Call<PostComment>
			/**
			 * List the comments on a post without replies, oldest first
			 *
			 * Use either `page` or `cursor`. `page` counts from the first record, so new comments may shift the content of the pages.
			 *
			 * `GET /api/headless/v1/posts/{postId}/comments`
			 * Errors: `not_found` (404)
			 */
			list(input: ListPostCommentsInput, options?: CallOptions): Call<ListPostCommentsOutput, PostComment>
			/**
			 * List the comments and replies of a member, newest first
			 *
			 * Lists only comments on posts that the caller can see.
			 *
			 * `GET /api/headless/v1/community_members/{memberId}/comments`
			 * Errors: `not_found` (404)
			 */
			listOfMember(input: ListMemberCommentsInput, options?: CallOptions): Call<ListMemberCommentsOutput, PostComment>
			/**
			 * Update a comment or reply of the caller
			 *
			 * `PATCH /api/headless/v1/comments/{commentId}`
			 * Errors: `not_found` (404), `precondition_failed` (412)
			 * In `options.headers`: If-Match
			 */
			update(input: UpdatePostCommentInput, options?: CallOptions): Call<PostComment>
		}
		events: {
			/**
			 * RSVP to an event
			 *
			 * If the event is full, the caller joins the waitlist; `rsvp_status` says which.
			 *
			 * `POST /api/headless/v1/events/{eventId}/event_attendees`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			attend(input: AttendEventInput, options?: CallOptions): Call<Rsvp>
			/**
			 * Create an event in a space
			 *
			 * Requires the role moderator, admin or owner. The caller becomes the host.
			 *
			 * `POST /api/headless/v1/spaces/{spaceId}/events`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			create(input: CreateEventInput, options?: CallOptions): Call<CommunityEvent>
			/**
			 * Delete an event and its RSVPs
			 *
			 * Requires the role moderator, admin or owner.
			 *
			 * `DELETE /api/headless/v1/events/{eventId}`
			 * Errors: `not_found` (404)
			 */
			delete(input: DeleteEventInput, options?: CallOptions): Call<Success>
			/**
			 * Revoke the URL of the caller's calendar feed
			 *
			 * Succeeds if the caller has no feed.
			 *
			 * `DELETE /api/headless/v1/calendar_feed`
			 * Errors: `not_found` (404)
			 */
			deleteCalendarFeed(input?: Record<string, never>, options?: CallOptions): Call<Success>
			/**
			 * Get an event
			 *
			 * `GET /api/headless/v1/events/{eventId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetEventInput, options?: CallOptions): Call<CommunityEvent>
			/**
			 * Download an event as an iCalendar file
			 *
			 * `GET /api/headless/v1/events/{eventId}/calendar.ics`
			 * Errors: `not_found` (404)
			 */
			getCalendar(input: GetEventCalendarInput, options?: CallOptions): Call<Response>
			/**
			 * Cancel an RSVP
			 *
			 * The first member on the waitlist gets the place. Succeeds if there is no RSVP.
			 *
			 * `DELETE /api/headless/v1/events/{eventId}/event_attendees`
			 * Errors: `not_found` (404)
			 */
			leave(input: LeaveEventInput, options?: CallOptions): Call<Success>
			/**
			 * List the events that the caller can see, earliest first
			 *
			 * All filters combine. `count` is the number of events that match them.
			 *
			 * `GET /api/headless/v1/community_events`
			 * Errors: `not_found` (404)
			 */
			list(input?: ListCommunityEventsInput, options?: CallOptions): Call<ListCommunityEventsOutput, CommunityEvent>
			/**
			 * List all RSVPs of an event, oldest first
			 *
			 * `GET /api/headless/v1/events/{eventId}/event_attendees`
			 * Errors: `not_found` (404)
			 */
			listAttendees(input: ListAttendeesInput, options?: CallOptions): Call<ListAttendeesOutput, Attendee>
			/**
			 * Create the URL of the caller's calendar feed
			 *
			 * Calendar programs can subscribe to the URL to show all events that the caller sees.
			 *
			 * `POST /api/headless/v1/calendar_feed`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			resetCalendarFeed(input?: Record<string, never>, options?: CallOptions): Call<CalendarFeed>
			/**
			 * Update an event
			 *
			 * Requires the role moderator, admin or owner.
			 *
			 * `PATCH /api/headless/v1/events/{eventId}`
			 * Errors: `not_found` (404), `precondition_failed` (412)
			 * In `options.headers`: If-Match
			 */
			update(input: UpdateEventInput, options?: CallOptions): Call<CommunityEvent>
		}
		images: {
			/**
			 * Add an image to a post of the caller: JPG, PNG or WebP
			 *
			 * A post can have ten images (409). The body is the image itself, with at most 50 million pixels and 16,384 on each side.
			 *
			 * `POST /api/headless/v1/posts/{postId}/images`
			 * Errors: `validation` (400), `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			add(input: AddPostImageInput, options?: CallOptions): Call<PostImage>
			/**
			 * Remove an image from a post
			 *
			 * Allowed for the author of the post, and for moderators, admins and owners.
			 *
			 * `DELETE /api/headless/v1/images/{imageId}`
			 * Errors: `not_found` (404)
			 */
			delete(input: DeleteImageInput, options?: CallOptions): Call<Success>
			/**
			 * Download an image of a post
			 *
			 * `GET /api/headless/v1/images/{imageId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetImageInput, options?: CallOptions): Call<Response>
			/**
			 * Download an image by the URL in a post
			 *
			 * The `url` of an image points here. It needs no credential and doesn't count against the rate limit of a member.
			 *
			 * `GET /api/headless/v1/images/{imageId}/file`
			 * Errors: `not_found` (404)
			 */
			getFile(input: GetImageFileInput, options?: CallOptions): Call<Response>
			/**
			 * Update the description of an image
			 *
			 * Only the author of the post can do this. `null` removes the description.
			 *
			 * `PATCH /api/headless/v1/images/{imageId}`
			 * Errors: `not_found` (404)
			 */
			update(input: UpdateImageInput, options?: CallOptions): Call<PostImage>
		}
		members: {
			/**
			 * Leave the community
			 *
			 * The membership becomes inactive, tokens and streams end, and places at events that have not ended go to the waitlist.
			 *
			 * `DELETE /api/headless/v1/community_member/deactivate`
			 * Errors: `not_found` (404)
			 */
			deactivate(input?: Record<string, never>, options?: CallOptions): Call<Success>
			/**
			 * Download an uploaded avatar
			 *
			 * The `avatar_url` of an uploaded avatar points here.
			 *
			 * `GET /api/headless/v1/community_members/{memberId}/avatar/{avatarFile}`
			 * Errors: `not_found` (404)
			 */
			getAvatar(input: GetAvatarInput, options?: CallOptions): Call<Response>
			/**
			 * Get the caller's own membership and profile
			 *
			 * `GET /api/headless/v1/community_member`
			 * Errors: `not_found` (404)
			 */
			getCurrent(input?: Record<string, never>, options?: CallOptions): Call<CurrentMember>
			/**
			 * Get the public profile of a member
			 *
			 * Returns 404 for inactive and banned members, and for invited people.
			 *
			 * `GET /api/headless/v1/community_members/{memberId}/public_profile`
			 * Errors: `not_found` (404)
			 */
			getPublicProfile(input: GetPublicProfileInput, options?: CallOptions): Call<MemberProfile>
			/**
			 * Invite a member by email
			 *
			 * Requires the role moderator, admin or owner, and a higher role than the invitation grants (403).
			 *
			 * `POST /api/headless/v1/invitations`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			invite(input: InviteMemberByMailInput, options?: CallOptions): Call<Success>
			/**
			 * List active members, oldest first
			 *
			 * Use either `page` or `cursor`. `page` counts from the first record, so new members may shift the content of the pages.
			 *
			 * `GET /api/headless/v1/community_members`
			 * Errors: `not_found` (404)
			 */
			list(input?: ListMemberCardsInput, options?: CallOptions): Call<ListMemberCardsOutput, MemberCard>
			/**
			 * List profile fields under an alternative path
			 *
			 * The same as `GET /api/headless/v1/profile_fields`, for clients that use this path.
			 *
			 * `GET /api/headless/v1/page_profile_fields`
			 * Errors: `not_found` (404)
			 */
			listPageProfileFields(input?: Record<string, never>, options?: CallOptions): Call<ListPageProfileFieldsOutput, ProfileField>
			/**
			 * List the profile fields of the community by position
			 *
			 * `GET /api/headless/v1/profile_fields`
			 * Errors: `not_found` (404)
			 */
			listProfileFields(input?: Record<string, never>, options?: CallOptions): Call<ListProfileFieldsOutput, ProfileField>
			/**
			 * Search active members by name, headline and bio
			 *
			 * Finds members that contain every word of `search_text`, or a longer word that starts with it.
			 *
			 * `GET /api/headless/v1/search/community_members`
			 * Errors: `not_found` (404)
			 */
			search(input: SearchMembersInput, options?: CallOptions): Call<SearchMembersOutput, MemberCard>
			/**
			 * Search active members, with the text in the body
			 *
			 * The same as `GET /api/headless/v1/search/community_members`, in the form that clients of Circle use.
			 *
			 * `POST /api/headless/v1/search/community_members`
			 * Errors: `not_found` (404)
			 */
			searchByBody(input?: SearchMembersByBodyInput, options?: CallOptions): Call<SearchMembersByBodyOutput, MemberCard>
			/**
			 * Upload the caller's avatar in the community: JPG, PNG or WebP
			 *
			 * The body is the image itself, with at most 5 MB, 50 million pixels and 16,384 on each side.
			 *
			 * `PUT /api/headless/v1/profile/avatar`
			 * Errors: `validation` (400), `not_found` (404), `not_configured` (501)
			 */
			setAvatar(input: SetAvatarInput, options?: CallOptions): Call<MemberProfile>
			/**
			 * Update the caller's profile in the community
			 *
			 * Omitted fields keep their values.
			 *
			 * `PUT /api/headless/v1/profile`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			updateProfile(input: UpdateProfileInput, options?: CallOptions): Call<MemberProfile>
		}
		moderation: {
			/**
			 * Ban a member
			 *
			 * Requires the role moderator, admin or owner. The member must have a lower role than the caller (403).
			 *
			 * `POST /api/headless/v1/community_members/{memberId}/ban`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			banMember(input: BanMemberInput, options?: CallOptions): Call<Success>
			/**
			 * Dismiss all flags of a post or comment
			 *
			 * Requires the role moderator, admin or owner.
			 *
			 * `POST /api/headless/v1/flagged_contents/{flagId}/dismiss`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			dismissFlag(input: DismissFlagInput, options?: CallOptions): Call<Success>
			/**
			 * Flag a post or comment for the moderators
			 *
			 * A member can flag the same content once; repeating the call (200) changes nothing.
			 *
			 * `POST /api/headless/v1/flagged_contents`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			flagContent(input: FlagContentInput, options?: CallOptions): Call<Success>
			/**
			 * Hide a comment and its replies
			 *
			 * Requires the role moderator, admin or owner. The authors get a notification, and can still read them, as moderators can.
			 *
			 * `POST /api/headless/v1/comments/{commentId}/hide`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			hideComment(input: HideCommentInput, options?: CallOptions): Call<Success>
			/**
			 * Hide a post from all members but its author
			 *
			 * Requires the role moderator, admin or owner.
			 *
			 * `POST /api/headless/v1/posts/{postId}/hide`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			hidePost(input: HidePostInput, options?: CallOptions): Call<Success>
			/**
			 * List flags, newest first
			 *
			 * Requires the role moderator, admin or owner. Lists flags from the spaces that the caller can see.
			 *
			 * `GET /api/headless/v1/flagged_contents`
			 * Errors: `not_found` (404)
			 */
			listFlags(input?: ListFlagsInput, options?: CallOptions): Call<ListFlagsOutput, Flag>
			/**
			 * List hidden posts and comments, most recently hidden first
			 *
			 * Requires the role moderator, admin or owner. Lists content from the spaces that the caller can see.
			 *
			 * `GET /api/headless/v1/hidden_contents`
			 * Errors: `not_found` (404)
			 */
			listHidden(input?: ListHiddenInput, options?: CallOptions): Call<ListHiddenOutput, HiddenContent>
			/**
			 * Restore a hidden comment and the replies that were hidden with it
			 *
			 * Requires the role moderator, admin or owner.
			 *
			 * `POST /api/headless/v1/comments/{commentId}/restore`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			restoreComment(input: RestoreCommentInput, options?: CallOptions): Call<Success>
			/**
			 * Restore a hidden post with its comments and reactions
			 *
			 * Requires the role moderator, admin or owner.
			 *
			 * `POST /api/headless/v1/posts/{postId}/restore`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			restorePost(input: RestorePostInput, options?: CallOptions): Call<Success>
			/**
			 * Unban a member
			 *
			 * Requires the role moderator, admin or owner. The member must have a lower role than the caller (403).
			 *
			 * `POST /api/headless/v1/community_members/{memberId}/unban`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			unbanMember(input: UnbanMemberInput, options?: CallOptions): Call<Success>
		}
		notifications: {
			/**
			 * Archive a notification
			 *
			 * Marks it as read and moves it out of the list; `status=archived` lists it. Succeeds if it was already archived.
			 *
			 * `POST /api/headless/v1/notifications/{notificationId}/archive`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			archive(input: ArchiveNotificationInput, options?: CallOptions): Call<Success>
			/**
			 * Count the unread notifications
			 *
			 * Counts those about content that the caller can see, among the newest 99 unread ones.
			 *
			 * `GET /api/headless/v1/notifications/count`
			 * Errors: `not_found` (404)
			 */
			count(input?: Record<string, never>, options?: CallOptions): Call<NotificationCount>
			/**
			 * Count the notifications since the last reset
			 *
			 * Counts unread ones about content that the caller can see, up to 99.
			 *
			 * `GET /api/headless/v1/notifications/new_notifications_count`
			 * Errors: `not_found` (404)
			 */
			countNew(input?: Record<string, never>, options?: CallOptions): Call<NewNotifications>
			/**
			 * Delete a notification
			 *
			 * `DELETE /api/headless/v1/notifications/{notificationId}`
			 * Errors: `not_found` (404)
			 */
			delete(input: DeleteNotificationInput, options?: CallOptions): Call<Success>
			/**
			 * Get a notification of the caller
			 *
			 * Returns 404 for a notification about content that the caller can't see.
			 *
			 * `GET /api/headless/v1/notifications/{notificationId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetNotificationInput, options?: CallOptions): Call<Notification>
			/**
			 * Get the caller's notification preferences
			 *
			 * All are on by default.
			 *
			 * `GET /api/headless/v1/notification_preferences`
			 * Errors: `not_found` (404)
			 */
			getPreferences(input?: Record<string, never>, options?: CallOptions): Call<NotificationPreferences>
			/**
			 * List the caller's notifications, newest first
			 *
			 * Lists only notifications about content that the caller can see.
			 *
			 * `GET /api/headless/v1/notifications`
			 * Errors: `not_found` (404)
			 */
			list(input?: ListNotificationsInput, options?: CallOptions): Call<ListNotificationsOutput, Notification>
			/**
			 * Mark all notifications as read
			 *
			 * `POST /api/headless/v1/notifications/mark_all_as_read`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			markAllRead(input?: Record<string, never>, options?: CallOptions): Call<Success>
			/**
			 * Mark a notification as read
			 *
			 * Succeeds if it was already read.
			 *
			 * `POST /api/headless/v1/notifications/{notificationId}/mark_as_read`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			markRead(input: MarkNotificationReadInput, options?: CallOptions): Call<Success>
			/**
			 * Reset the number of new notifications
			 *
			 * The notifications stay unread.
			 *
			 * `POST /api/headless/v1/notifications/reset_new_notifications_count`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			resetNew(input?: Record<string, never>, options?: CallOptions): Call<NewNotifications>
			/**
			 * Stream new notifications as server-sent events
			 *
			 * Each event `notification` has the data `{id, kind}` and the same id as event id; list the notifications to get the rest.
			 *
			 * `GET /api/headless/v1/notifications/stream`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			stream(input?: Record<string, never>, options?: CallOptions): Call<Response, ServerSentEvent>
			/**
			 * Update the caller's notification preferences
			 *
			 * `PATCH /api/headless/v1/notification_preferences`
			 * Errors: `not_found` (404)
			 */
			updatePreferences(input: UpdateNotificationPreferencesInput, options?: CallOptions): Call<NotificationPreferences>
		}
		posts: {
			/**
			 * Create a post in a space
			 *
			 * `POST /api/headless/v1/spaces/{spaceId}/posts`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			create(input: CreatePostInput, options?: CallOptions): Call<Post>
			/**
			 * Delete a post
			 *
			 * Allowed for the author, and for moderators, admins and owners.
			 *
			 * `DELETE /api/headless/v1/posts/{postId}`
			 * Errors: `not_found` (404)
			 */
			delete(input: DeletePostInput, options?: CallOptions): Call<Success>
			/**
			 * Follow a post
			 *
			 * Succeeds if the caller already follows it.
			 *
			 * `POST /api/headless/v1/posts/{postId}/post_followers`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			follow(input: FollowPostInput, options?: CallOptions): Call<FollowPostOutput>
			/**
			 * Get a post
			 *
			 * `GET /api/headless/v1/posts/{postId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetPostInput, options?: CallOptions): Call<Post>
			/**
			 * List the posts of all spaces that the caller can see, newest first
			 *
			 * Use either `page` or `cursor`. `page` counts from the first record, so new posts may shift the content of the pages.
			 *
			 * `GET /api/headless/v1/home`
			 * Errors: `not_found` (404)
			 */
			listAll(input?: ListHomePostsInput, options?: CallOptions): Call<ListHomePostsOutput, Post>
			/**
			 * List the followers of a post, oldest first
			 *
			 * `GET /api/headless/v1/posts/{postId}/post_followers`
			 * Errors: `not_found` (404)
			 */
			listFollowers(input: ListPostFollowersInput, options?: CallOptions): Call<ListPostFollowersOutput, PostFollower>
			/**
			 * List the posts of a member, newest first
			 *
			 * Lists only posts that the caller can see.
			 *
			 * `GET /api/headless/v1/community_members/{memberId}/posts`
			 * Errors: `not_found` (404)
			 */
			listOfMember(input: ListMemberPostsInput, options?: CallOptions): Call<ListMemberPostsOutput, Post>
			/**
			 * List the posts of a space, newest first
			 *
			 * Use either `page` or `cursor`. `page` counts from the first record, so new posts may shift the content of the pages.
			 *
			 * `GET /api/headless/v1/spaces/{spaceId}/posts`
			 * Errors: `not_found` (404)
			 */
			listOfSpace(input: ListSpacePostsInput, options?: CallOptions): Call<ListSpacePostsOutput, Post>
			/**
			 * Search posts by title and body, newest first
			 *
			 * Finds posts that contain every word of `search_text`, or a longer word that starts with it. Case and accents are ignored.
			 *
			 * `GET /api/headless/v1/search/posts`
			 * Errors: `not_found` (404)
			 */
			search(input: SearchPostsInput, options?: CallOptions): Call<SearchPostsOutput, Post>
			/**
			 * Unfollow a post
			 *
			 * Succeeds if the caller does not follow it. A later comment does not follow it again.
			 *
			 * `DELETE /api/headless/v1/posts/{postId}/post_followers`
			 * Errors: `not_found` (404)
			 */
			unfollow(input: UnfollowPostInput, options?: CallOptions): Call<UnfollowPostOutput>
			/**
			 * Update a post of the caller
			 *
			 * `PATCH /api/headless/v1/posts/{postId}`
			 * Errors: `not_found` (404), `precondition_failed` (412)
			 * In `options.headers`: If-Match
			 */
			update(input: UpdatePostInput, options?: CallOptions): Call<Post>
		}
		reactions: {
			/**
			 * React to a post, comment or image
			 *
			 * A member can have one reaction to each target; another reaction replaces it.
			 *
			 * `POST /api/headless/v1/reactions`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			add(input: ReactInput, options?: CallOptions): Call<Reaction>
			/**
			 * Like a comment or reply
			 *
			 * A like is the reaction `like`: it replaces another reaction of the caller.
			 *
			 * `POST /api/headless/v1/comments/{commentId}/user_likes`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			likeComment(input: LikeCommentInput, options?: CallOptions): Call<Success>
			/**
			 * Like a post
			 *
			 * A like is the reaction `like`: it replaces another reaction of the caller.
			 *
			 * `POST /api/headless/v1/posts/{postId}/user_likes`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			likePost(input: LikePostInput, options?: CallOptions): Call<Success>
			/**
			 * List the members who like a comment or reply, oldest like first
			 *
			 * `GET /api/headless/v1/comments/{commentId}/user_likes`
			 * Errors: `not_found` (404)
			 */
			listCommentLikes(input: ListCommentLikesInput, options?: CallOptions): Call<ListCommentLikesOutput, MemberReaction>
			/**
			 * List the reactions to a comment with their members, by emoji
			 *
			 * `GET /api/headless/v1/comments/{commentId}/reactions`
			 * Errors: `not_found` (404)
			 */
			listOfComment(input: ListCommentReactionsInput, options?: CallOptions): Call<ListCommentReactionsOutput, MemberReaction>
			/**
			 * List the reactions to a post with their members, by emoji
			 *
			 * `GET /api/headless/v1/posts/{postId}/reactions`
			 * Errors: `not_found` (404)
			 */
			listOfPost(input: ListPostReactionsInput, options?: CallOptions): Call<ListPostReactionsOutput, MemberReaction>
			/**
			 * List the members who like a post, oldest like first
			 *
			 * `GET /api/headless/v1/posts/{postId}/user_likes`
			 * Errors: `not_found` (404)
			 */
			listPostLikes(input: ListPostLikesInput, options?: CallOptions): Call<ListPostLikesOutput, MemberReaction>
			/**
			 * Remove a reaction
			 *
			 * Send the target in the query or in the body; many clients and proxies drop the body of a DELETE.
			 *
			 * `DELETE /api/headless/v1/reactions`
			 * Errors: `not_found` (404)
			 */
			remove(input?: UnreactInput, options?: CallOptions): Call<Success>
			/**
			 * Remove the like of a comment or reply
			 *
			 * Keeps another reaction of the caller. Succeeds if there is no like.
			 *
			 * `DELETE /api/headless/v1/comments/{commentId}/user_likes`
			 * Errors: `not_found` (404)
			 */
			unlikeComment(input: UnlikeCommentInput, options?: CallOptions): Call<Success>
			/**
			 * Remove the like of a post
			 *
			 * Keeps another reaction of the caller. Succeeds if there is no like.
			 *
			 * `DELETE /api/headless/v1/posts/{postId}/user_likes`
			 * Errors: `not_found` (404)
			 */
			unlikePost(input: UnlikePostInput, options?: CallOptions): Call<Success>
		}
		replies: {
			/**
			 * Reply to a comment
			 *
			 * Returns 404 for a reply, which can't have replies. A removed comment can be replied to while it has replies.
			 *
			 * `POST /api/headless/v1/comments/{commentId}/replies`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			create(input: CreateReplyInput, options?: CallOptions): Call<PostComment>
			/**
			 * List the replies to a comment, oldest first
			 *
			 * Use either `page` or `cursor`. `page` counts from the first record, so new replies may shift the content of the pages.
			 *
			 * `GET /api/headless/v1/comments/{commentId}/replies`
			 * Errors: `not_found` (404)
			 */
			list(input: ListRepliesInput, options?: CallOptions): Call<ListRepliesOutput, PostComment>
		}
		spaceGroups: {
			/**
			 * Get a space group
			 *
			 * Shows a group only if the caller can see one of its spaces.
			 *
			 * `GET /api/headless/v1/space_groups/{spaceGroupId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetMemberSpaceGroupInput, options?: CallOptions): Call<MemberSpaceGroup>
			/**
			 * List space groups by position
			 *
			 * Shows a group only if the caller can see one of its spaces.
			 *
			 * `GET /api/headless/v1/space_groups`
			 * Errors: `not_found` (404)
			 */
			list(input?: Record<string, never>, options?: CallOptions): Call<ListMemberSpaceGroupsOutput, MemberSpaceGroup>
		}
		spaces: {
			/**
			 * Get a space
			 *
			 * `GET /api/headless/v1/spaces/{spaceId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetSpaceInput, options?: CallOptions): Call<MemberSpace>
			/**
			 * Get the first space that the caller can see, by position
			 *
			 * For clients of Circle, where a community has a home space. Returns 404 if there is no space.
			 *
			 * `GET /api/headless/v1/spaces/home`
			 * Errors: `not_found` (404)
			 */
			getHome(input?: Record<string, never>, options?: CallOptions): Call<MemberSpace>
			/**
			 * Join a space
			 *
			 * Has no effect, because visibility and access groups decide who sees a space.
			 *
			 * `POST /api/headless/v1/spaces/{spaceId}/join`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			join(input: JoinSpaceInput, options?: CallOptions): Call<Success>
			/**
			 * Leave a space
			 *
			 * Has no effect, because visibility and access groups decide who sees a space.
			 *
			 * `POST /api/headless/v1/spaces/{spaceId}/leave`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			leave(input: LeaveSpaceInput, options?: CallOptions): Call<Success>
			/**
			 * List the spaces that the caller can see, by position
			 *
			 * `GET /api/headless/v1/spaces`
			 * Errors: `not_found` (404)
			 */
			list(input?: Record<string, never>, options?: CallOptions): Call<ListSpacesOutput, MemberSpace>
			/**
			 * List the spaces of a member by position
			 *
			 * Lists the spaces that both the member and the caller can see.
			 *
			 * `GET /api/headless/v1/community_members/{memberId}/spaces`
			 * Errors: `not_found` (404)
			 */
			listOfMember(input: ListMemberSpacesInput, options?: CallOptions): Call<ListMemberSpacesOutput, MemberSpace>
			/**
			 * Mark the posts of a space as read
			 *
			 * Sets `unread_posts_count` of the space to 0 for the caller.
			 *
			 * `POST /api/headless/v1/spaces/{spaceId}/mark_as_read`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			markRead(input: MarkSpaceReadInput, options?: CallOptions): Call<Success>
		}
		topics: {
			/**
			 * List the topics of the posts in a space, most used first
			 *
			 * `GET /api/headless/v1/spaces/{spaceId}/topics`
			 * Errors: `not_found` (404)
			 */
			list(input: ListTopicsInput, options?: CallOptions): Call<ListTopicsOutput, Topic>
			/**
			 * List all topics of the community, most used first
			 *
			 * Includes topics without posts.
			 *
			 * `GET /api/headless/v1/topics`
			 * Errors: `not_found` (404)
			 */
			listAll(input?: Record<string, never>, options?: CallOptions): Call<ListAllTopicsOutput, CommunityTopic>
		}
	}
	config: {
		/**
		 * Get the features, registration rules and limits of this installation
		 *
		 * `GET /v1/config`
		 */
		get(input?: Record<string, never>, options?: CallOptions): Call<PublicConfig>
	}
	deviceRequests: {
		/**
		 * Give a device an API key of the organization
		 *
		 * `scopes` may be fewer than the device asks for.
		 *
		 * `POST /v1/orgs/{orgId}/device-approvals`
		 * Errors: `plan_limit` (403), `reauthentication_required` (403), `not_found` (404), `not_configured` (501)
		 */
		approve(input: ApproveDeviceRequestInput, options?: CallOptions): Call<ApproveDeviceRequestOutput>
		/**
		 * Refuse what a device asks for
		 *
		 * `POST /v1/auth/device/deny`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		deny(input: DenyDeviceRequestInput, options?: CallOptions): Call<DenyDeviceRequestOutput>
		/**
		 * Look up what a device asks for, by the code that it shows
		 *
		 * After five wrong codes, a user waits for up to 10 minutes.
		 *
		 * `POST /v1/auth/device/lookup`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		find(input: FindDeviceRequestInput, options?: CallOptions): Call<DeviceRequest>
		/**
		 * Get the API key that a person has approved (RFC 8628)
		 *
		 * `POST /v1/auth/device/token`
		 * Errors: `access_denied` (400), `authorization_pending` (400), `expired_token` (400), `invalid_grant` (400), `slow_down` (400), `unsupported_grant_type` (400), `not_configured` (501)
		 */
		poll(input: PollDeviceTokenInput, options?: CallOptions): Call<DeviceToken>
		/**
		 * Ask for an API key on behalf of the person at this device (RFC 8628)
		 *
		 * Show `verification_uri` and `user_code` to the person, or `verification_uri_complete` as a QR code.
		 *
		 * `POST /v1/auth/device`
		 * Errors: `invalid_scope` (400), `too_many_requests` (429), `not_configured` (501)
		 */
		start(input: StartDeviceRequestInput, options?: CallOptions): Call<DeviceRequestStarted>
	}
	directUploads: {
		/**
		 * Cancel a direct upload
		 *
		 * Deletes the received bytes; the URL works no longer. Returns 409 if the upload has ended in another way.
		 *
		 * `DELETE /v1/direct-uploads/{uploadId}`
		 * Errors: `not_found` (404), `conflict` (409)
		 */
		cancel(input: CancelDirectUploadInput, options?: CallOptions): Call<DirectUpload>
		/**
		 * Let a browser upload one file, without a credential of its own
		 *
		 * `POST /v1/direct-uploads`
		 * Errors: `plan_limit` (403), `not_found` (404), `conflict` (409), `not_configured` (501)
		 */
		create(input: CreateDirectUploadInput, options?: CallOptions): Call<NewDirectUpload>
		/**
		 * Get a direct upload
		 *
		 * `GET /v1/direct-uploads/{uploadId}`
		 * Errors: `not_found` (404)
		 */
		get(input: GetDirectUploadInput, options?: CallOptions): Call<DirectUpload>
		/**
		 * List direct uploads, newest first
		 *
		 * An upload is listed for 30 days after its end.
		 *
		 * `GET /v1/direct-uploads`
		 */
		list(input?: ListDirectUploadsInput, options?: CallOptions): Call<DirectUpload[], DirectUpload>
		/**
		 * Upload the file of a direct upload, whole or in chunks
		 *
		 * The address is the `url` of `createDirectUpload`.
		 *
		 * `PUT /upload/direct/{uploadToken}`
		 * Errors: `malformed` (400), `forbidden` (403), `org_suspended` (403), `plan_limit` (403), `not_found` (404), `conflict` (409), `gone` (410), `too_large` (413), `unsupported_media_type` (415), `not_configured` (501)
		 * In `options.headers`: Content-Range
		 */
		put(input: UploadDirectlyInput, options?: CallOptions): Call<UploadDirectlyOutput>
	}
	events: {
		/**
		 * Create a token that opens the stream of events once
		 *
		 * For `EventSource`, which can send no headers: open `/v1/events/stream?token=…` within 60 seconds.
		 *
		 * `POST /v1/events/stream-tokens`
		 * Errors: `not_configured` (501)
		 */
		createStreamToken(input?: CreateEventStreamTokenInput, options?: CallOptions): Call<CreateEventStreamTokenOutput>
		/**
		 * Read the events of the organization in order
		 *
		 * Returns events after a sequence, oldest first, from the last 30 days.
		 *
		 * `GET /v1/events`
		 */
		read(input?: ReadEventsInput, options?: CallOptions): Call<ReadEventsOutput>
		/**
		 * Stream the events of the organization as server-sent events
		 *
		 * `GET /v1/events/stream`
		 * Errors: `not_configured` (501)
		 */
		stream(input?: StreamEventsInput, options?: CallOptions): Call<Response, ServerSentEvent>
	}
	health: {
		/**
		 * Check that the server responds
		 *
		 * `GET /health/live`
		 */
		checkLive(input?: Record<string, never>, options?: CallOptions): Call<Health>
		/**
		 * Check that the database responds
		 *
		 * Returns 503 if the database does not respond within two seconds.
		 *
		 * `GET /health/ready`
		 * Errors: `unavailable` (503)
		 */
		checkReady(input?: Record<string, never>, options?: CallOptions): Call<Health>
	}
	highlights: {
		/**
		 * Delete a highlight with its clip
		 *
		 * `DELETE /v1/assets/{assetId}/highlights/{highlightId}`
		 * Errors: `not_found` (404)
		 */
		delete(input: DeleteHighlightInput, options?: CallOptions): Call<DeleteHighlightOutput>
		/**
		 * Change the title and description of a highlight
		 *
		 * Highlights of which one was changed or deleted are made again only with `force`.
		 *
		 * `PATCH /v1/assets/{assetId}/highlights/{highlightId}`
		 * Errors: `not_found` (404)
		 */
		update(input: UpdateHighlightInput, options?: CallOptions): Call<Highlight>
	}
	impersonations: {
		/**
		 * End the impersonation of a member
		 *
		 * `DELETE /v1/orgs/{orgId}/impersonations/{impersonationId}`
		 * Errors: `not_found` (404)
		 */
		end(input: EndImpersonationInput, options?: CallOptions): Call<EndImpersonationOutput>
		/**
		 * List when superadmins acted as members of the organization, newest first
		 *
		 * `GET /v1/orgs/{orgId}/impersonations`
		 * Errors: `not_found` (404)
		 */
		list(input: ListImpersonationsInput, options?: CallOptions): Call<Impersonation[], Impersonation>
	}
	invitations: {
		/**
		 * Accept an invitation to an organization
		 *
		 * The token comes from the invitation email.
		 *
		 * `POST /v1/orgs/invitations/accept`
		 * Errors: `org_suspended` (403), `plan_limit` (403), `not_found` (404), `not_configured` (501)
		 */
		accept(input: AcceptInvitationInput, options?: CallOptions): Call<Org>
		/**
		 * List the invitations of an organization, newest first
		 *
		 * Unknown parameters get 400.
		 *
		 * `GET /v1/orgs/{orgId}/invitations`
		 * Errors: `not_found` (404)
		 */
		list(input: ListInvitationsInput, options?: CallOptions): Call<Invitation[], Invitation>
		/**
		 * Revoke an open invitation
		 *
		 * Returns 403 if the caller may not grant the role of the invitation.
		 *
		 * `DELETE /v1/orgs/{orgId}/invitations/{invitationId}`
		 * Errors: `not_found` (404)
		 */
		revoke(input: RevokeInvitationInput, options?: CallOptions): Call<RevokeInvitationOutput>
	}
	memberTokens: {
		/**
		 * Create tokens for a member with an API key
		 *
		 * Call this from a server. Send exactly one of `community_member_id`, `email` and `sso_user_id`.
		 *
		 * `POST /api/v1/headless/auth_token`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		create(input: CreateMemberTokenInput, options?: CallOptions): Call<MemberTokens>
		/**
		 * Exchange the code of a sign-in for member tokens
		 *
		 * A code is valid for one minute and for one use.
		 *
		 * `POST /api/headless/v1/sign_in/token`
		 * Errors: `unauthorized` (401), `forbidden` (403), `org_suspended` (403), `not_configured` (501)
		 */
		exchangeSignInCode(input: ExchangeSignInCodeInput, options?: CallOptions): Call<MemberTokens>
		/**
		 * List the sign-ins of a member by token, newest first
		 *
		 * Each exchange of an API key is one sign-in. The tokens themselves are not stored.
		 *
		 * `GET /v1/communities/{communityId}/members/{memberId}/tokens`
		 * Errors: `not_found` (404)
		 */
		list(input: ListMemberTokensInput, options?: CallOptions): Call<MemberTokenGrant[]>
		/**
		 * Exchange a refresh token for new tokens
		 *
		 * The sent token stops working.
		 *
		 * `PATCH /api/v1/headless/access_token/refresh`
		 * Errors: `unauthorized` (401), `forbidden` (403), `org_suspended` (403), `not_configured` (501)
		 */
		refresh(input: RefreshMemberTokenInput, options?: CallOptions): Call<MemberTokens>
		/**
		 * Revoke all tokens of a member
		 *
		 * `DELETE /v1/communities/{communityId}/members/{memberId}/tokens`
		 * Errors: `not_found` (404)
		 */
		revoke(input: RevokeMemberTokensInput, options?: CallOptions): Call<RevokeMemberTokensOutput>
		/**
		 * Revoke every access token of this sign-in; the refresh token stays valid
		 *
		 * Also succeeds for a token that is unknown, expired or revoked.
		 *
		 * `POST /api/v1/headless/access_token/revoke`
		 * Errors: `not_configured` (501)
		 */
		revokeAccessToken(input: RevokeMemberAccessTokenInput, options?: CallOptions): Call<undefined>
		/**
		 * Revoke every refresh and access token of this sign-in
		 *
		 * Also succeeds for a token that is unknown, expired or revoked.
		 *
		 * `POST /api/v1/headless/refresh_token/revoke`
		 * Errors: `not_configured` (501)
		 */
		revokeRefreshToken(input: RevokeMemberRefreshTokenInput, options?: CallOptions): Call<undefined>
	}
	members: {
		/**
		 * Invite a member by email
		 *
		 * Sends a link that is valid for 7 days.
		 *
		 * `POST /v1/orgs/{orgId}/members`
		 * Errors: `plan_limit` (403), `not_found` (404), `conflict` (409), `not_configured` (501)
		 */
		invite(input: InviteMemberInput, options?: CallOptions): Call<Invitation>
		/**
		 * List the members of an organization, oldest first
		 *
		 * Unknown parameters get 400.
		 *
		 * `GET /v1/orgs/{orgId}/members`
		 * Errors: `not_found` (404)
		 */
		list(input: ListMembersInput, options?: CallOptions): Call<OrgMember[], OrgMember>
		/**
		 * Remove a member, or leave the organization
		 *
		 * Every member may remove themselves.
		 *
		 * `DELETE /v1/orgs/{orgId}/members/{userId}`
		 * Errors: `forbidden` (403), `not_found` (404), `conflict` (409)
		 */
		remove(input: RemoveMemberInput, options?: CallOptions): Call<RemoveMemberOutput>
		/**
		 * Change the role of a member
		 *
		 * Only an owner may promote a member to owner or change the role of an owner. Returns 409 for the last owner.
		 *
		 * `PATCH /v1/orgs/{orgId}/members/{userId}`
		 * Errors: `forbidden` (403), `not_found` (404), `conflict` (409)
		 */
		update(input: UpdateMemberInput, options?: CallOptions): Call<OrgMember>
	}
	orgs: {
		/**
		 * Create an organization with the caller as owner
		 *
		 * `POST /v1/orgs`
		 * Errors: `plan_limit` (403), `conflict` (409), `not_configured` (501)
		 */
		create(input: CreateOrgInput, options?: CallOptions): Call<Org>
		/**
		 * Get an organization
		 *
		 * `GET /v1/orgs/{orgId}`
		 * Errors: `not_found` (404)
		 */
		get(input: GetOrgInput, options?: CallOptions): Call<Org>
		/**
		 * Get the usage and limits of an organization
		 *
		 * `GET /v1/orgs/{orgId}/usage`
		 * Errors: `not_found` (404)
		 */
		getUsage(input: GetOrgUsageInput, options?: CallOptions): Call<OrgUsage>
		/**
		 * List the organizations of the signed-in user, oldest first
		 *
		 * `GET /v1/orgs`
		 */
		list(input?: ListOrgsInput, options?: CallOptions): Call<Org[], Org>
		/**
		 * Decide whether superadmins may act as members of the organization
		 *
		 * Without support access, no impersonation can start, and open ones end at once.
		 *
		 * `PUT /v1/orgs/{orgId}/support-access`
		 * Errors: `not_found` (404)
		 */
		setSupportAccess(input: SetSupportAccessInput, options?: CallOptions): Call<SetSupportAccessOutput>
		/**
		 * Update the name, slug or webhook URL of an organization
		 *
		 * `PATCH /v1/orgs/{orgId}`
		 * Errors: `not_found` (404), `conflict` (409), `precondition_failed` (412)
		 * In `options.headers`: If-Match
		 */
		update(input: UpdateOrgInput, options?: CallOptions): Call<Org>
	}
	passkeys: {
		/**
		 * Register a passkey
		 *
		 * Takes what `navigator.credentials.create` returned, as `toJSON()` writes it.
		 *
		 * `POST /v1/auth/passkeys`
		 * Errors: `reauthentication_required` (403), `conflict` (409), `not_configured` (501)
		 */
		create(input: CreatePasskeyInput, options?: CallOptions): Call<CreatePasskeyOutput>
		/**
		 * Get the options to create a passkey with
		 *
		 * `POST /v1/auth/passkeys/registration-options`
		 * Errors: `reauthentication_required` (403), `not_configured` (501)
		 */
		createOptions(input?: Record<string, never>, options?: CallOptions): Call<CreatePasskeyOptionsOutput>
		/**
		 * Get the options to sign in or reauthenticate with a passkey
		 *
		 * `POST /v1/auth/passkeys/sign-in-options`
		 * Errors: `not_configured` (501)
		 */
		createSignInOptions(input?: Record<string, never>, options?: CallOptions): Call<CreateSignInOptionsOutput>
		/**
		 * Delete a passkey
		 *
		 * Returns 409 for the last second factor of the account if an organization of the user, or the installation, requires one.
		 *
		 * `DELETE /v1/auth/passkeys/{passkeyId}`
		 * Errors: `reauthentication_required` (403), `not_found` (404), `conflict` (409)
		 */
		delete(input: DeletePasskeyInput, options?: CallOptions): Call<DeletePasskeyOutput>
		/**
		 * List the passkeys of the signed-in user, newest first
		 *
		 * `GET /v1/auth/passkeys`
		 */
		list(input?: Record<string, never>, options?: CallOptions): Call<Passkey[]>
		/**
		 * Sign in with a passkey
		 *
		 * Takes what `navigator.credentials.get` returned, as `toJSON()` writes it.
		 *
		 * `POST /v1/auth/passkeys/sign-in`
		 * Errors: `unauthorized` (401), `account_locked` (403), `not_configured` (501)
		 */
		signIn(input: SignInWithPasskeyInput, options?: CallOptions): Call<SignedIn>
		/**
		 * Rename a passkey
		 *
		 * `PATCH /v1/auth/passkeys/{passkeyId}`
		 * Errors: `not_found` (404)
		 */
		update(input: UpdatePasskeyInput, options?: CallOptions): Call<Passkey>
	}
	playback: {
		/**
		 * Comment on a video or a moment of it
		 *
		 * `body` is plain text. Returns 403 if comments are turned off for the asset.
		 *
		 * `POST /v1/playback/{playbackId}/comments`
		 * Errors: `forbidden` (403), `not_found` (404), `not_configured` (501)
		 */
		createComment(input: CreateCommentInput, options?: CallOptions): Call<Comment>
		/**
		 * Get a download URL of a video
		 *
		 * Returns 403 if `allowDownload` is off for the asset, or if a `signed` asset is requested without its playback token.
		 *
		 * `GET /v1/playback/{playbackId}/download`
		 * Errors: `forbidden` (403), `not_found` (404), `not_configured` (501)
		 */
		downloadVideo(input: DownloadVideoInput, options?: CallOptions): Call<Download>
		/**
		 * Get a download URL of the audio of a video
		 *
		 * Returns 403 if `allowDownload` is off for the asset, or if a `signed` asset is requested without its playback token.
		 *
		 * `GET /v1/playback/{playbackId}/audio`
		 * Errors: `forbidden` (403), `not_found` (404), `not_configured` (501)
		 */
		downloadVideoAudio(input: DownloadVideoAudioInput, options?: CallOptions): Call<Download>
		/**
		 * Get everything that a player needs to play an asset
		 *
		 * Returns 404 unless the asset is `ready`, and 403 for a `signed` asset without its playback token.
		 *
		 * `GET /v1/playback/{playbackId}`
		 * Errors: `forbidden` (403), `not_found` (404)
		 */
		get(input: GetPlaybackInput, options?: CallOptions): Call<PlaybackRecord>
		/**
		 * Get what another site needs to embed a video
		 *
		 * Follows oembed.com, so the response has no envelope.
		 *
		 * `GET /oembed`
		 * Errors: `unauthorized` (401), `not_found` (404), `format_unsupported` (501)
		 */
		getOEmbed(input: GetOEmbedInput, options?: CallOptions): Call<OEmbed>
		/**
		 * Get the branding and player defaults of an organization
		 *
		 * Names the organization by its slug, or by one of its videos.
		 *
		 * `GET /v1/settings/public`
		 * Errors: `not_found` (404)
		 */
		getPublicSettings(input?: GetPublicSettingsInput, options?: CallOptions): Call<PublicOrgSettings>
		/**
		 * Get the emoji reactions to a video
		 *
		 * `GET /v1/playback/{playbackId}/reactions`
		 * Errors: `forbidden` (403), `not_found` (404)
		 */
		getReactions(input: GetReactionsInput, options?: CallOptions): Call<Reactions>
		/**
		 * Get the thumbnail of an asset
		 *
		 * `thumbnailUrl` points here.
		 *
		 * `GET /v1/playback/{playbackId}/thumbnail`
		 * Errors: `forbidden` (403), `not_found` (404)
		 */
		getThumbnail(input: GetThumbnailInput, options?: CallOptions): Call<Response>
		/**
		 * List the comments on a video, newest first
		 *
		 * Returns 403 if comments are turned off for the asset.
		 *
		 * `GET /v1/playback/{playbackId}/comments`
		 * Errors: `forbidden` (403), `not_found` (404)
		 */
		listComments(input: ListCommentsInput, options?: CallOptions): Call<Comment[], Comment>
		/**
		 * List the highlights of an asset whose clips are ready, in the order of the video
		 *
		 * The list is empty if the organization does not show them (`publicSettings.showHighlights`).
		 *
		 * `GET /v1/playback/{playbackId}/highlights`
		 * Errors: `forbidden` (403), `not_found` (404)
		 */
		listHighlights(input: ListHighlightsInput, options?: CallOptions): Call<PublicHighlight[]>
		/**
		 * Add or remove an emoji reaction
		 *
		 * A session can use each emoji once; sending it again removes the reaction.
		 *
		 * `POST /v1/playback/{playbackId}/reactions`
		 * Errors: `forbidden` (403), `not_found` (404), `not_configured` (501)
		 */
		toggleReaction(input: ToggleReactionInput, options?: CallOptions): Call<Reactions>
	}
	secondFactor: {
		/**
		 * Create a secret for an authenticator app
		 *
		 * Changes nothing until POST /v1/auth/second-factor/totp/confirm gets a code that the app made from the secret.
		 *
		 * `POST /v1/auth/second-factor/totp`
		 * Errors: `reauthentication_required` (403), `not_configured` (501)
		 */
		beginTotp(input?: Record<string, never>, options?: CallOptions): Call<BeginTotpOutput>
		/**
		 * Set up the authenticator app with its first code
		 *
		 * Replaces the former app. If the account had no second factor, this ends all other sessions and returns recovery codes.
		 *
		 * `POST /v1/auth/second-factor/totp/confirm`
		 * Errors: `reauthentication_required` (403), `conflict` (409), `not_configured` (501)
		 */
		confirmTotp(input: ConfirmTotpInput, options?: CallOptions): Call<ConfirmTotpOutput>
		/**
		 * Get the second factors of the signed-in user
		 *
		 * `GET /v1/auth/second-factor`
		 */
		get(input?: Record<string, never>, options?: CallOptions): Call<SecondFactor>
		/**
		 * Remove the authenticator app
		 *
		 * Without an app and passkeys, the account has no second factor, and its recovery codes stop working.
		 *
		 * `DELETE /v1/auth/second-factor/totp`
		 * Errors: `reauthentication_required` (403), `not_found` (404), `conflict` (409)
		 */
		removeTotp(input?: Record<string, never>, options?: CallOptions): Call<RemoveTotpOutput>
		/**
		 * Replace the recovery codes
		 *
		 * All earlier codes stop working.
		 *
		 * `POST /v1/auth/second-factor/recovery-codes`
		 * Errors: `reauthentication_required` (403), `conflict` (409), `not_configured` (501)
		 */
		replaceRecoveryCodes(input?: Record<string, never>, options?: CallOptions): Call<ReplaceRecoveryCodesOutput>
		/**
		 * Complete a sign-in with a second factor
		 *
		 * `POST /v1/auth/second-factor/verify`
		 * Errors: `unauthorized` (401), `account_locked` (403), `not_configured` (501)
		 * In `options.headers`: X-Device-Token
		 */
		verify(input: VerifySecondFactorInput, options?: CallOptions): Call<SignedIn>
	}
	sessions: {
		/**
		 * List the sessions of the user, newest first
		 *
		 * Also lists those in which a superadmin acts as the user, who can end them, too.
		 *
		 * `GET /v1/auth/sessions`
		 */
		list(input?: Record<string, never>, options?: CallOptions): Call<Session[]>
		/**
		 * Revoke a session
		 *
		 * `DELETE /v1/auth/sessions/{sessionId}`
		 * Errors: `reauthentication_required` (403), `not_found` (404)
		 */
		revoke(input: RevokeSessionInput, options?: CallOptions): Call<RevokeSessionOutput>
		/**
		 * Revoke every session of the user except the current one
		 *
		 * Also ends those in which a superadmin acts as the user.
		 *
		 * `DELETE /v1/auth/sessions`
		 * Errors: `reauthentication_required` (403)
		 */
		revokeOther(input?: Record<string, never>, options?: CallOptions): Call<RevokeOtherSessionsOutput>
	}
	settings: {
		/**
		 * Remove the logo of the organization
		 *
		 * Deletes the image. Does nothing if there is no logo.
		 *
		 * `DELETE /v1/settings/logo`
		 * Errors: `not_found` (404)
		 */
		deleteLogo(input?: Record<string, never>, options?: CallOptions): Call<Settings>
		/**
		 * Get the settings of the organization
		 *
		 * `GET /v1/settings`
		 * Errors: `not_found` (404)
		 */
		get(input?: Record<string, never>, options?: CallOptions): Call<Settings>
		/**
		 * Get the AI settings of the organization
		 *
		 * `GET /v1/settings/ai`
		 */
		getAi(input?: Record<string, never>, options?: CallOptions): Call<AiSettings>
		/**
		 * List the origins of web pages that may call the API
		 *
		 * `GET /v1/settings/origins`
		 */
		getAllowedOrigins(input?: Record<string, never>, options?: CallOptions): Call<AllowedOrigins>
		/**
		 * Get the encoding settings of the organization
		 *
		 * `GET /v1/settings/encoding`
		 */
		getEncoding(input?: Record<string, never>, options?: CallOptions): Call<EncodingSettings>
		/**
		 * Download a logo
		 *
		 * `logoUrl` points here. The URL needs no credential, so that web pages can show the logo, but its name can't be guessed.
		 *
		 * `GET /v1/settings/logo/{logoFile}`
		 * Errors: `not_found` (404)
		 */
		getLogo(input: GetLogoInput, options?: CallOptions): Call<Response>
		/**
		 * Get what the organization asks of its members
		 *
		 * `GET /v1/settings/security`
		 * Errors: `not_found` (404)
		 */
		getSecurity(input?: Record<string, never>, options?: CallOptions): Call<SecuritySettings>
		/**
		 * Replace the origins of web pages that may call the API
		 *
		 * `PUT /v1/settings/origins`
		 */
		replaceAllowedOrigins(input: ReplaceAllowedOriginsInput, options?: CallOptions): Call<AllowedOrigins>
		/**
		 * Upload the logo of the organization: JPG, PNG or WebP
		 *
		 * The body is the image itself, with at most 5 MB, 50 million pixels and 16,384 on each side.
		 *
		 * `PUT /v1/settings/logo`
		 * Errors: `validation` (400), `not_found` (404), `gone` (410)
		 */
		setLogo(input: SetLogoInput, options?: CallOptions): Call<Settings>
		/**
		 * Test the provider for transcription, or the language model
		 *
		 * Transcribes some seconds of speech; with `languageModel`, translates two words instead (`{}` for the stored settings).
		 *
		 * `POST /v1/settings/ai/test`
		 * Errors: `conflict` (409), `too_many_requests` (429), `not_configured` (501)
		 */
		testAi(input?: TestAiSettingsInput, options?: CallOptions): Call<AiTest>
		/**
		 * Change the branding, the player defaults, the analytics and the hosts that may embed videos
		 *
		 * Fields that are left out keep their value. `logoUrl: null` removes the logo; PUT /v1/settings/logo uploads one.
		 *
		 * `PATCH /v1/settings`
		 * Errors: `not_found` (404), `precondition_failed` (412)
		 * In `options.headers`: If-Match
		 */
		update(input: UpdateSettingsInput, options?: CallOptions): Call<Settings>
		/**
		 * Choose the providers for transcription and for texts, and limit what they may cost
		 *
		 * `PATCH /v1/settings/ai`
		 * Errors: `conflict` (409), `not_configured` (501)
		 */
		updateAi(input: UpdateAiSettingsInput, options?: CallOptions): Call<AiSettings>
		/**
		 * Choose the video codecs: H.264, and optionally HEVC and AV1
		 *
		 * Applies to assets that are processed from now on; process an asset again to change its codecs.
		 *
		 * `PATCH /v1/settings/encoding`
		 * Errors: `precondition_failed` (412)
		 * In `options.headers`: If-Match
		 */
		updateEncoding(input: UpdateEncodingSettingsInput, options?: CallOptions): Call<EncodingSettings>
		/**
		 * Change what the organization asks of its members
		 *
		 * For owners. An owner who requires a second factor must have one (409).
		 *
		 * `PATCH /v1/settings/security`
		 * Errors: `reauthentication_required` (403), `not_found` (404), `conflict` (409), `precondition_failed` (412)
		 * In `options.headers`: If-Match
		 */
		updateSecurity(input: UpdateSecuritySettingsInput, options?: CallOptions): Call<SecuritySettings>
	}
	subtitles: {
		/**
		 * Delete the uploaded subtitles of an asset in one language
		 *
		 * Subtitles of the transcript in the same language are shown again. Returns 404 if none were uploaded in this language.
		 *
		 * `DELETE /v1/assets/{assetId}/subtitles/{lang}`
		 * Errors: `not_found` (404)
		 */
		delete(input: DeleteSubtitlesInput, options?: CallOptions): Call<DeleteSubtitlesOutput>
		/**
		 * List the subtitles of an asset
		 *
		 * At most one for each language, as viewers can choose them.
		 *
		 * `GET /v1/assets/{assetId}/subtitles`
		 * Errors: `not_found` (404)
		 */
		list(input: ListSubtitlesInput, options?: CallOptions): Call<ListSubtitlesOutput>
		/**
		 * Upload the subtitles of an asset in one language: WebVTT or SRT
		 *
		 * The body is the file itself in UTF-8, with at most 2 MiB and 20,000 subtitles.
		 *
		 * `PUT /v1/assets/{assetId}/subtitles/{lang}`
		 * Errors: `not_found` (404), `conflict` (409), `unprocessable` (422)
		 */
		set(input: SetSubtitlesInput, options?: CallOptions): Call<SetSubtitlesOutput>
		/**
		 * Translate the subtitles of an asset with the language model of the organization
		 *
		 * Translates in the background; `translations` shows how far it is. Each text keeps its times.
		 *
		 * `POST /v1/assets/{assetId}/subtitles/translations`
		 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
		 */
		translate(input: TranslateSubtitlesInput, options?: CallOptions): Call<TranslateSubtitlesOutput>
	}
	transcripts: {
		/**
		 * Get the transcript of an asset
		 *
		 * Returns 404 if it has none.
		 *
		 * `GET /v1/assets/{assetId}/transcript`
		 * Errors: `not_found` (404)
		 */
		get(input: GetTranscriptInput, options?: CallOptions): Call<GetTranscriptOutput>
		/**
		 * Replace the transcript of an asset, and its subtitles
		 *
		 * Segments are in ascending order, do not overlap, and end within the video.
		 *
		 * `PATCH /v1/assets/{assetId}/transcript`
		 * Errors: `not_found` (404), `conflict` (409), `precondition_failed` (412)
		 * In `options.headers`: If-Match
		 */
		replace(input: ReplaceTranscriptInput, options?: CallOptions): Call<ReplaceTranscriptOutput>
	}
	uploads: {
		/**
		 * Complete a presigned upload
		 *
		 * `POST /v1/assets/{assetId}/upload-complete`
		 * Errors: `plan_limit` (403), `not_found` (404), `conflict` (409), `gone` (410), `unprocessable` (422), `not_configured` (501)
		 */
		complete(input: CompleteUploadInput, options?: CallOptions): Call<CompleteUploadOutput>
		/**
		 * Create a token for a resumable upload, valid for 15 minutes
		 *
		 * The `sub` claim of the token is `sourceKey`.
		 *
		 * `POST /v1/assets/{assetId}/upload-token`
		 * Errors: `plan_limit` (403), `not_found` (404), `conflict` (409), `not_configured` (501)
		 */
		createToken(input: CreateUploadTokenInput, options?: CallOptions): Call<CreateUploadTokenOutput>
		/**
		 * Create a presigned URL to PUT the source to
		 *
		 * The URL is valid for an hour, for one key.
		 *
		 * `POST /v1/assets/{assetId}/upload-url`
		 * Errors: `plan_limit` (403), `not_found` (404), `conflict` (409), `not_configured` (501)
		 */
		createUrl(input: CreateUploadUrlInput, options?: CallOptions): Call<UploadUrl>
		/**
		 * Import the source from a URL
		 *
		 * `POST /v1/assets/{assetId}/import`
		 * Errors: `plan_limit` (403), `not_found` (404), `conflict` (409), `not_configured` (501)
		 */
		importSource(input: ImportSourceInput, options?: CallOptions): Call<ImportSourceOutput>
		/**
		 * Upload the source in one request or in chunks
		 *
		 * Moves the asset to `uploaded`, so upload-complete is not needed.
		 *
		 * `PUT /v1/assets/{assetId}/upload`
		 * Errors: `plan_limit` (403), `not_found` (404), `conflict` (409), `gone` (410), `not_configured` (501)
		 * In `options.headers`: Content-Range
		 */
		put(input: UploadSourceInput, options?: CallOptions): Call<UploadSourceOutput>
	}
	webhooks: {
		/**
		 * Get the default webhook endpoint of an organization
		 *
		 * Returns null if the organization has none.
		 *
		 * `GET /v1/orgs/{orgId}/webhooks/config`
		 * Errors: `not_found` (404)
		 */
		getConfig(input: GetWebhookConfigInput, options?: CallOptions): Call<WebhookEndpoint | null>
		/**
		 * Send a test event to the default webhook endpoint
		 *
		 * Sends `webhook.test` at once and returns what the receiver responded. At most one test per second and endpoint.
		 *
		 * `POST /v1/orgs/{orgId}/webhooks/config/test`
		 * Errors: `not_found` (404), `not_configured` (501)
		 */
		testConfig(input: TestWebhookConfigInput, options?: CallOptions): Call<WebhookTestResult>
		/**
		 * Create or update the default webhook endpoint of an organization
		 *
		 * The first call needs `url`. Its response contains the signing secret, which no later one shows.
		 *
		 * `PATCH /v1/orgs/{orgId}/webhooks/config`
		 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
		 */
		updateConfig(input: UpdateWebhookConfigInput, options?: CallOptions): Call<UpdateWebhookConfigOutput>
		endpoints: {
			/**
			 * Create a webhook endpoint
			 *
			 * An organization has at most 10 endpoints.
			 *
			 * `POST /v1/orgs/{orgId}/webhooks/endpoints`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			create(input: CreateWebhookEndpointInput, options?: CallOptions): Call<WebhookEndpointWithSecret>
			/**
			 * Delete a webhook endpoint with its delivery log
			 *
			 * `DELETE /v1/orgs/{orgId}/webhooks/endpoints/{endpointId}`
			 * Errors: `not_found` (404)
			 */
			delete(input: DeleteWebhookEndpointInput, options?: CallOptions): Call<DeleteWebhookEndpointOutput>
			/**
			 * Get a webhook endpoint
			 *
			 * `GET /v1/orgs/{orgId}/webhooks/endpoints/{endpointId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetWebhookEndpointInput, options?: CallOptions): Call<WebhookEndpoint>
			/**
			 * List the webhook endpoints of an organization, oldest first
			 *
			 * `GET /v1/orgs/{orgId}/webhooks/endpoints`
			 * Errors: `not_found` (404)
			 */
			list(input: ListWebhookEndpointsInput, options?: CallOptions): Call<WebhookEndpoint[]>
			/**
			 * Replace the signing secret of a webhook endpoint
			 *
			 * For 24 hours both secrets sign each delivery.
			 *
			 * `POST /v1/orgs/{orgId}/webhooks/endpoints/{endpointId}/rotate-secret`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			rotateSecret(input: RotateWebhookSecretInput, options?: CallOptions): Call<WebhookEndpointWithSecret>
			/**
			 * Send a test event to a webhook endpoint
			 *
			 * As `POST …/webhooks/config/test`.
			 *
			 * `POST /v1/orgs/{orgId}/webhooks/endpoints/{endpointId}/test`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			test(input: TestWebhookEndpointInput, options?: CallOptions): Call<WebhookTestResult>
			/**
			 * Update a webhook endpoint
			 *
			 * `status: enabled` switches a disabled endpoint on again.
			 *
			 * `PATCH /v1/orgs/{orgId}/webhooks/endpoints/{endpointId}`
			 * Errors: `not_found` (404), `precondition_failed` (412)
			 * In `options.headers`: If-Match
			 */
			update(input: UpdateWebhookEndpointInput, options?: CallOptions): Call<WebhookEndpoint>
		}
		events: {
			/**
			 * Get an event with its deliveries and their attempts
			 *
			 * `GET /v1/orgs/{orgId}/webhooks/events/{eventId}`
			 * Errors: `not_found` (404)
			 */
			get(input: GetWebhookEventInput, options?: CallOptions): Call<GetWebhookEventOutput>
			/**
			 * List the webhook deliveries of an organization, newest event first
			 *
			 * One entry per event and endpoint, kept for 30 days after it was planned.
			 *
			 * `GET /v1/orgs/{orgId}/webhooks/events`
			 * Errors: `not_found` (404)
			 */
			list(input: ListWebhookEventsInput, options?: CallOptions): Call<WebhookDelivery[], WebhookDelivery>
			/**
			 * Deliver the events of a period again
			 *
			 * `POST /v1/orgs/{orgId}/webhooks/recover`
			 * Errors: `not_found` (404), `not_configured` (501)
			 */
			recover(input: RecoverWebhookEventsInput, options?: CallOptions): Call<RecoverWebhookEventsOutput>
			/**
			 * Deliver an event again, with the same webhook-id
			 *
			 * To one endpoint, or without `endpointId` to every endpoint that the event was meant for.
			 *
			 * `POST /v1/orgs/{orgId}/webhooks/events/{eventId}/retry`
			 * Errors: `not_found` (404), `conflict` (409), `not_configured` (501)
			 */
			retry(input: RetryWebhookEventInput, options?: CallOptions): Call<WebhookDelivery[]>
		}
	}
}
