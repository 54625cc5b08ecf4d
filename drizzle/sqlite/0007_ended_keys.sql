ALTER TABLE `api_keys` ADD `deleted_at` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `rejected_requests` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `first_rejected_at` integer;--> statement-breakpoint
ALTER TABLE `api_keys` ADD `last_rejected_at` integer;--> statement-breakpoint
CREATE INDEX `api_keys_rejected` ON `api_keys` (`first_rejected_at`) WHERE "api_keys"."first_rejected_at" is not null;