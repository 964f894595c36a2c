/** Where the Worker of the tests takes SQL statements. */
export const SQL_PATH = '/test/sql'

/** Points in the Worker at which a fault can occur: around a statement, or around writing the master playlist. */
export type WorkerPoint = 'claim' | 'complete' | 'advance' | 'plan' | 'playlist' | 'publish'
