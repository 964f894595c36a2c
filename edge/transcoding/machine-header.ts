/** How the Worker tells the fleet object whose socket it is, once it has checked the machine's token. */
export const MACHINE_HEADER = 'x-machine-id'
