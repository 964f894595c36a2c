import { crons, type Feature, type Schedule } from './http/feature.ts'

/** Collects the scheduled tasks of features, with each feature's nightly pruning as one task. */
export const collectSchedules = (features: readonly Feature[]): Schedule[] => [
	...features.flatMap(({ schedules = [] }) => schedules),
	...features.flatMap(({ prune }) => (prune ? [{ cron: crons.eachNight, name: 'prune', run: prune }] : [])),
]
