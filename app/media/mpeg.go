package media

import "bytes"

// maxJunk bounds what is skipped before and between the frames of an MP3.
const maxJunk = 64 << 10

func isMP3(head []byte) bool {
	tag := bytes.HasPrefix(head, []byte("ID3")) && len(head) > 3 && head[3] < 16 // its version; a text can begin with "ID3", too
	return tag || len(head) >= 4 && mp3Frame(head).size > 0
}

// frame is what the header of a frame of sound says.
type frame struct{ size, samples, rate int64 }

// mp3Frame reads the header of a frame of MPEG layer III; its size is 0 if it is
// none.
func mp3Frame(b []byte) frame {
	if b[0] != 0xff || b[1]&0xe6 != 0xe2 {
		return frame{}
	}
	version, rate, bits := b[1]>>3&3, b[2]>>2&3, b[2]>>4
	if version == 1 || rate == 3 || bits == 0 || bits == 15 {
		return frame{}
	}
	fr := frame{rate: []int64{44100, 48000, 32000}[rate], samples: 1152}
	kbit := []int64{0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320}[bits]
	if version != 3 { // MPEG 2, and 2.5 at half its rate
		fr.rate, fr.samples = fr.rate/2, 576
		kbit = []int64{0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160}[bits]
	}
	if version == 0 {
		fr.rate /= 2
	}
	fr.size = fr.samples/8*kbit*1000/fr.rate + int64(b[2]>>1&1)
	return fr
}

// inspectMP3 keeps the frames alone, without tags.
func inspectMP3(s *source, f *File) error {
	f.Type = "audio/mpeg"
	at, err := behindID3(s)
	if err != nil {
		return err
	}
	frames, junk := 0, 0
	var samples, rate int64
	for at+4 <= s.size && junk < maxJunk {
		b, err := s.bytes(at, 4)
		if err != nil {
			return err
		}
		fr := mp3Frame(b)
		if fr.size < 24 || !nextFrame(s, at+fr.size) {
			at, junk = at+1, junk+1
			continue
		}
		n := min(fr.size, s.size-at)
		f.keep(at, n)
		if f.full() {
			return ErrBroken
		}
		frames, samples, rate = frames+1, samples+fr.samples, fr.rate
		at += n
	}
	if frames < 3 {
		return ErrType
	}
	f.DurationMs = duration(samples*1000, rate)
	return nil
}

// nextFrame reports whether the file ends at at or goes on with a frame or a tag.
func nextFrame(s *source, at int64) bool {
	if at >= s.size {
		return true
	}
	b, err := s.upTo(at, 4)
	return err == nil && (len(b) < 4 || mp3Frame(b).size > 0 || string(b[:3]) == "TAG" || string(b) == "APET")
}

// behindID3 returns where the tag at the beginning of the file ends.
func behindID3(s *source) (int64, error) {
	b, err := s.upTo(0, 10)
	if err != nil || len(b) < 10 || string(b[:3]) != "ID3" {
		return 0, err
	}
	n := int64(b[6]&127)<<21 | int64(b[7]&127)<<14 | int64(b[8]&127)<<7 | int64(b[9]&127)
	if b[5]&0x10 != 0 {
		n += 10
	}
	return 10 + n, nil
}

func isAAC(head []byte) bool { return len(head) >= 7 && adtsFrame(head).size > 0 }

// adtsFrame reads the header of a frame of AAC in ADTS; its size is 0 if it is
// none.
func adtsFrame(b []byte) frame {
	rates := []int64{96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000, 7350}
	if b[0] != 0xff || b[1]&0xf6 != 0xf0 || int(b[2]>>2&15) >= len(rates) {
		return frame{}
	}
	return frame{
		size:    int64(b[3]&3)<<11 | int64(b[4])<<3 | int64(b[5])>>5,
		samples: 1024 * int64(1+b[6]&3),
		rate:    rates[b[2]>>2&15],
	}
}

// inspectAAC keeps the frames up to the first thing that is none.
func inspectAAC(s *source, f *File) error {
	f.Type = "audio/aac"
	frames := 0
	var at, samples, rate int64
	for at+7 <= s.size {
		b, err := s.bytes(at, 7)
		if err != nil {
			return err
		}
		fr := adtsFrame(b)
		if fr.size < 7 || fr.size > s.size-at {
			break
		}
		f.keep(at, fr.size)
		at += fr.size
		frames, samples, rate = frames+1, samples+fr.samples, fr.rate
	}
	if frames < 3 {
		return ErrType
	}
	f.DurationMs = duration(samples*1000, rate)
	return nil
}
