package media

import (
	"bytes"
	"encoding/binary"
	"math"
)

// measure finds out how long a sound or a video is, and whether it has pictures.
func (f *File) measure(head []byte) (err error) {
	switch f.Type {
	case "audio/wav":
		f.measureWAV(head)
	case "audio/ogg", "video/ogg":
		err = f.measureOgg(head)
	case "audio/mp4", "video/mp4":
		err = f.measureMP4()
	case "video/webm":
		f.measureWebM(head)
	}
	return err
}

// setDuration sets the duration to units of a rate for each second, if it is sensible.
func (f *File) setDuration(units, rate float64) {
	if ms := units / rate * 1000; ms > 0 && ms < 24*3600*1000 {
		f.DurationMs = int(ms)
	}
}

func (f *File) measureWAV(head []byte) {
	at := bytes.Index(head, []byte("data"))
	if at < 36 || at+8 > len(head) || string(head[12:16]) != "fmt " {
		return
	}
	rate := binary.LittleEndian.Uint32(head[28:])
	f.setDuration(float64(min(int64(binary.LittleEndian.Uint32(head[at+4:])), f.size-int64(at)-8)), float64(rate))
}

// measureOgg reads the position of the last page, in samples.
func (f *File) measureOgg(head []byte) error {
	tail, err := f.read(max(0, f.size-headSize), headSize)
	if err != nil {
		return err
	}
	rate := 48_000.0 // of Opus
	if at := bytes.Index(head, []byte("\x01vorbis")); at >= 0 && at+16 <= len(head) {
		rate = float64(binary.LittleEndian.Uint32(head[at+12:]))
	}
	if at := bytes.LastIndex(tail, []byte("OggS")); at >= 0 && at+14 <= len(tail) && f.Audio() {
		f.setDuration(float64(binary.LittleEndian.Uint64(tail[at+6:])), rate)
	}
	return nil
}

// measureWebM reads what stands before the first cluster.
func (f *File) measureWebM(head []byte) {
	head, _, _ = bytes.Cut(head, []byte{0x1f, 0x43, 0xb6, 0x75})
	if !bytes.Contains(head, []byte("V_")) { // the codec of a video
		f.Type = "audio/webm"
	}
	const millisecond = 1000
	if at := bytes.Index(head, []byte{0x44, 0x89, 0x84}); at >= 0 && at+7 <= len(head) {
		f.setDuration(float64(math.Float32frombits(binary.BigEndian.Uint32(head[at+3:]))), millisecond)
	} else if at := bytes.Index(head, []byte{0x44, 0x89, 0x88}); at >= 0 && at+11 <= len(head) {
		f.setDuration(math.Float64frombits(binary.BigEndian.Uint64(head[at+3:])), millisecond)
	}
}

// maxMovie is how many bytes of the description of an MP4 are read.
const maxMovie = 1 << 20

// measureMP4 reads the box that describes the movie. A file without one is a download.
func (f *File) measureMP4() error {
	for at := int64(0); at+8 <= f.size; {
		b, err := f.read(at, 16)
		if err != nil {
			return err
		}
		n := int64(binary.BigEndian.Uint32(b))
		if n == 1 && len(b) == 16 {
			n = int64(binary.BigEndian.Uint64(b[8:]) & math.MaxInt64)
		} else if n == 0 {
			n = f.size - at
		}
		if n < 8 || n > f.size-at {
			break
		}
		if string(b[4:8]) == "moov" {
			movie, err := f.read(at, min(n, maxMovie))
			f.describeMP4(movie)
			return err
		}
		at += n
	}
	f.Type = Download
	return nil
}

func (f *File) describeMP4(movie []byte) {
	if f.Type = "audio/mp4"; bytes.Contains(movie, []byte("vmhd")) || bytes.Contains(movie, []byte("vide")) {
		f.Type = "video/mp4"
	}
	_, header, ok := bytes.Cut(movie, []byte("mvhd"))
	if !ok || len(header) < 32 {
		return
	}
	scale, units := header[12:16], uint64(binary.BigEndian.Uint32(header[16:20]))
	if header[0] == 1 { // times of 64 bits
		scale, units = header[20:24], binary.BigEndian.Uint64(header[24:32])
	}
	f.setDuration(float64(units), float64(binary.BigEndian.Uint32(scale)))
}
