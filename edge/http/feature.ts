import type { EventByType, FollowedType, Recorded } from '#schema/contract/events.ts'
import type { Message, MessageByType } from '#schema/contract/messages.ts'
import type { Contributions, DeleteOfAsset, Deps } from '../platform/deps.ts'
import type { Metric } from '../platform/metrics/metric.ts'
import type { PersonalData } from '../platform/personal-data.ts'
import type { DueRows } from '../platform/work/due-rows.ts'
import type { Authenticators } from './caller.ts'
import type { App } from './hono-app.ts'
import type { Route } from './route.ts'

/** Consumes one type of message. The same message may arrive twice. */
export type Consumers = {
	[T in Message['type']]: (deps: Deps, message: MessageByType<T>) => Promise<unknown>
}

/** Reacts to one type of event. The same event may arrive twice. */
export type Followers = {
	[T in FollowedType]: (deps: Deps, event: EventByType<T> & Recorded) => unknown
}

/** The cron expressions of wrangler.toml, by what they are for. */
export const crons = {
	eachMinute: '* * * * *',
	eachTenMinutes: '*/10 * * * *',
	eachMorning: '0 8 * * *',
	eachNight: '17 3 * * *',
} as const
export type Cron = (typeof crons)[keyof typeof crons]

/** A task that runs on a schedule. It may run twice, late, or not at all for a while. */
export type Schedule = {
	cron: Cron
	name: string
	run(deps: Deps): Promise<unknown>
	/** Without a row that is due, there is nothing to run. */
	due?: readonly DueRows[]
	/** Runs while a restored database is not repaired, too. */
	runsDuringRepair?: true
}

/** The part that a folder of the edge adds to the Worker. Its `feature.ts` exports it, and edge/features.ts lists it. */
export type Feature = {
	routes?: readonly Route[]
	authenticators?: Partial<Authenticators>
	/** Adds handlers that run before the dependencies of a request are built. */
	mountFirst?(app: App): void
	/** Adds handlers for paths outside the contract. */
	mount?(app: App): void
	consumers?: Partial<Consumers>
	followers?: Partial<Followers>
	/** Runs when a message has failed for good. */
	deadLetters?: Partial<Consumers>
	schedules?: readonly Schedule[]
	/** Deletes expired rows, each night. */
	prune?(deps: Deps): Promise<unknown>
	/** The data that it stores about people and organizations, for deletion and export. */
	personalData?: Partial<PersonalData>
	/** Deletes its rows of a video, in the batch that deletes the video. */
	deleteOfAssetStatements?: DeleteOfAsset
	/** Its metrics, which `GET /metrics` shows. */
	metrics?: readonly Metric[]
	contributions?: Partial<Omit<Contributions, 'personalData' | 'metrics' | 'deleteOfAssetStatements'>>
}
