type Given<T> = { [K in keyof T]?: Exclude<T[K], undefined> }

/** What of a patch was really sent. */
export const givenOf = <T extends object>(patch: T): Given<T> =>
	Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Given<T>
