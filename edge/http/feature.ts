import type { EventByType, FollowedType, Recorded } from '#schema/contract/events.ts'
import type { Message, MessageByType } from '#schema/contract/messages.ts'
import type { Contributions, DeleteOfAsset, Deps, IsAssetBusy, StopWorkOnAsset } from '../platform/deps.ts'
import type { Metric } from '../platform/metrics/metric.ts'
import type { PersonalData } from '../platform/personal-data.ts'
import type { DueRows } from '../platform/work/due-rows.ts'
import type { Authenticators } from './caller.ts'
import type { App } from './hono-app.ts'
import type { Route } from './route.ts'

/** Consumes one type of message. Must be idempotent. */
export type Consumers = {
	[T in Message['type']]: (deps: Deps, message: MessageByType<T>) => Promise<unknown>
}

/** Reacts to one type of event. Must be idempotent. */
export type Followers = {
	[T in FollowedType]: (deps: Deps, event: EventByType<T> & Recorded) => unknown
}

/** The cron expressions of wrangler.toml by purpose. */
export const crons = {
	eachMinute: '* * * * *',
	eachTenMinutes: '*/10 * * * *',
	eachMorning: '0 8 * * *',
	eachNight: '17 3 * * *',
} as const
export type Cron = (typeof crons)[keyof typeof crons]

/** A scheduled task. It may run twice, late, or not at all for a while. */
export type Schedule = {
	cron: Cron
	name: string
	run(deps: Deps): Promise<unknown>
	/** The task is skipped while no row is due. */
	due?: readonly DueRows[]
	/** Also runs before a restored database is repaired. */
	runsDuringRepair?: true
}

/** Contributions with a part from each feature. */
export type MergedContribution =
	| 'personalData'
	| 'metrics'
	| 'deleteOfAssetStatements'
	| 'stopWorkOnAssetStatements'
	| 'isAssetBusy'

/** A feature of the Worker. Its folder exports it from `feature.ts`, and edge/features.ts lists it. */
export type Feature = {
	routes?: readonly Route[]
	authenticators?: Partial<Authenticators>
	/** Adds handlers that run before the dependencies of a request are built. */
	mountFirst?(app: App): void
	/** Adds handlers for paths outside the contract. */
	mount?(app: App): void
	consumers?: Partial<Consumers>
	followers?: Partial<Followers>
	/** Runs when a message has failed permanently. */
	deadLetters?: Partial<Consumers>
	schedules?: readonly Schedule[]
	/** Deletes expired rows, each night. */
	prune?(deps: Deps): Promise<unknown>
	/** Stored data about people and organizations, for deletion and export. */
	personalData?: Partial<PersonalData>
	/** Deletes the feature's rows of a video, in the batch that deletes the video. */
	deleteOfAssetStatements?: DeleteOfAsset
	/** Stops the feature's work on a video, in the batch that moves it to the trash. After a restore, a follower of `asset.restored` starts it again. */
	stopWorkOnAssetStatements?: StopWorkOnAsset
	/** Keeps a video out of the trash while the feature works on it. */
	isAssetBusy?: IsAssetBusy
	/** Metrics for `GET /metrics`. */
	metrics?: readonly Metric[]
	contributions?: Partial<Omit<Contributions, MergedContribution>>
}
