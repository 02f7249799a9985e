// The entry of a worker thread with one export.

import { takeExportCalls } from '../../threads/export-port.ts';
import { ExportWork } from './export-work.ts';
import { packError } from './thread-errors.ts';

takeExportCalls({ open: ExportWork.open, packError });
