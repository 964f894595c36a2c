/** Where the Worker can be struck: around a statement that moves something, or the writing of the master playlist. */
export type WorkerPoint = 'claim' | 'complete' | 'advance' | 'plan' | 'playlist' | 'publish'
