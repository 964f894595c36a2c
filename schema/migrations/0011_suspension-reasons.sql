ALTER TABLE `orgs` ADD `suspension_reasons` text DEFAULT '[]' NOT NULL;--> statement-breakpoint
ALTER TABLE `orgs` ADD `suspension_changed_at` integer;