import { crons, type Feature, type Schedule } from './http/feature.ts'

/** Returns the scheduled tasks of features, with the nightly deletion of expired rows of each as one task. */
export const collectSchedules = (features: readonly Feature[]): Schedule[] => [
	...features.flatMap(({ schedules = [] }) => schedules),
	...features.flatMap(({ prune }) => (prune ? [{ cron: crons.eachNight, name: 'prune', run: prune }] : [])),
]
